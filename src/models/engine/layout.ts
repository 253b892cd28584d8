// How prompt parts become text and ids. `plain`: a growing transcript, each part encoded by itself, so that ids of what
// was said before never change. Knows no game.
import type { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { plainOf, type ModelText } from '../types.ts';

export type Layout = Pick<ModelText, 'prompt' | 'encode'>;

/** Encoded texts kept for the next prompt: rules and hints come again at every step. */
const CACHED = 512;

export function plainLayout(tokenizer: TextTokenizer): Layout {
  const cache = new Map<string, number[]>();
  const encode = (text: string): number[] => {
    const known = cache.get(text);
    if (known) return known;
    const ids = tokenizer.encode(text);
    if (cache.size >= CACHED) cache.delete(cache.keys().next().value!);
    cache.set(text, ids);
    return ids;
  };
  return {
    encode,
    prompt(parts, exactIds = false) {
      const ids = exactIds || tokenizer.bos === null ? [] : [tokenizer.bos];
      let text = '';
      for (const part of parts) {
        const piece = plainOf(part);
        text += piece;
        ids.push(...(part.role === 'assistant' && part.ids ? part.ids : encode(piece)));
      }
      return { text, ids };
    },
  };
}
