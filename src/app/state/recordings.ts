// The finished runs that come with the page: public/recordings/index.json names them.
export interface Recording {
  file: string;
  title: string;
  note: string;
  game?: string;
  url: string;
  text(): Promise<string>;
}

/** Empty where the site has none. */
export async function listRecordings(): Promise<Recording[]> {
  const response = await fetch('recordings/index.json');
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return [];
  const list = (await response.json()) as Omit<Recording, 'url' | 'text'>[];
  return list.map((item) => {
    const url = `recordings/${item.file}`;
    return { ...item, url, text: () => textOf(url) };
  });
}

async function textOf(url: string) {
  const blob = await (await fetch(url)).blob();
  const magic = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const gzip = magic[0] === 0x1f && magic[1] === 0x8b;
  return gzip ? new Response(blob.stream().pipeThrough(new DecompressionStream('gzip'))).text() : blob.text();
}
