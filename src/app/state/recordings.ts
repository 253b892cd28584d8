// The finished runs that come with the page: public/recordings/index.json names them.
export interface Recording {
  file: string;
  title: string;
  note: string;
  /** Default: by the file's name, `snake.jsonl` is of snake-v1. */
  game: string;
  url: string;
  /** The log as it was published, plain or gzip. */
  blob(): Promise<Blob>;
}

/** Empty where the site has none. */
export async function listRecordings(): Promise<Recording[]> {
  const response = await fetch('recordings/index.json');
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return [];
  const list = (await response.json()) as { file: string; title: string; note: string; game?: string }[];
  return list.map((item) => {
    const url = `recordings/${item.file}`;
    const game = item.game ?? `${item.file.replace(/\..*$/, '')}-v1`;
    return { ...item, game, url, blob: async () => (await fetch(url)).blob() };
  });
}
