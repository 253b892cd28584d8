// How a WebLLM model is named in the setting `model`: `webllm:MODEL_ID` of the catalogue, or an own one by the address of
// its folder and of its compiled library, `webllm:https://host/…/NAME?lib=https://host/….wasm`. Knows no catalogue's content.
import { CodedError } from '../../errors.ts';
import type { Entry } from './api.ts';

const PREFIX = 'webllm:';

export const isWebllm = (name: string): boolean => name.startsWith(PREFIX);

export const nameOf = (id: string): string => `${PREFIX}${id}`;

/** The entry that a name means. Errors: model/unknown. */
export function entryOf(name: string, entries: readonly Entry[]): Entry {
  const id = name.slice(PREFIX.length);
  const known = entries.find(({ model_id }) => model_id === id);
  if (known) return known;
  if (/^https?:/.test(id)) return ownEntry(id);
  throw new CodedError(
    'model/unknown',
    `WebLLM’s catalogue has no ${id}`,
    'choose one of the list, or give an address',
  );
}

function ownEntry(address: string): Entry {
  const url = URL.parse(address);
  const lib = url?.searchParams.get('lib');
  const id = url?.pathname
    .replace(/\/resolve\/[^/]+\/?$/, '')
    .split('/')
    .findLast((part) => part !== '');
  if (!url || !lib || !id || !URL.canParse(lib)) {
    throw new CodedError(
      'model/unknown',
      `${address} names no model`,
      'the folder’s address with ?lib= and the address of the compiled library (.wasm)',
    );
  }
  url.search = url.hash = '';
  return { model_id: id, model: url.href, model_lib: lib };
}

/** Parameters by the name, such as 0.6B or 135M; 0 where it tells none. */
export function parametersOf(id: string): number {
  const [, number, unit] = /(?:^|[-_.E])(\d+(?:[._]\d+)?)([BM])(?![A-Za-z0-9])/i.exec(id) ?? [];
  return number ? Math.round(Number(number.replace('_', '.')) * (unit!.toUpperCase() === 'B' ? 1e9 : 1e6)) : 0;
}

/** Whether the model can be told to answer at once; to any other, the words for it would be foreign. */
export const thinksFirst = (id: string): boolean => /^Qwen3(?:\.\d)?-(?!.*(?:Instruct|Coder))/i.test(id);
