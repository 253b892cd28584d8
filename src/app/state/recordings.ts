// The finished runs that come with the page: public/recordings/index.json names them.
import { fromErrorValue, toErrorValue } from '../../errors.ts';
import { fetched } from '../fetched.ts';
import { gameId } from '../games.ts';

export interface Recording {
  file: string;
  title: string;
  note: string;
  /** Default: by the file's name, `snake.jsonl` is of Snake. */
  game: string;
  url: string;
  /** The log as it was published, plain or gzip. Errors: import/… */
  blob(): Promise<Blob>;
}

interface Entry {
  file: string;
  title: string;
  note: string;
  game?: string;
}

/** Empty where the site has none. Errors: import/offline, import/refused, import/recordings. */
export async function listRecordings(): Promise<Recording[]> {
  return (await entries()).map((entry) => {
    const url = `recordings/${entry.file}`;
    const game = gameId(entry.game ?? entry.file.replace(/\..*$/, ''));
    return { ...entry, game, url, blob: async () => (await fetched(url)).blob() };
  });
}

async function entries(): Promise<Entry[]> {
  try {
    const response = await fetched('recordings/index.json');
    // Some static hosts answer with their start page where there is no file.
    if (!response.headers.get('content-type')?.includes('json')) return [];
    return (await response.json()) as Entry[];
  } catch (error) {
    const value = toErrorValue(error, 'import/recordings');
    if (value.code === 'import/missing') return [];
    throw fromErrorValue(value);
  }
}
