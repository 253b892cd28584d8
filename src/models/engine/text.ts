// The text side of an engine model: prompts as ids, ids as text. Needs the tokenizer's file and no weights.
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import type { ModelText } from '../types.ts';
import { plainLayout } from './layout.ts';

export function engineText(tokenizer: TextTokenizer): ModelText {
  const { encode, prompt } = plainLayout(tokenizer);
  const isControl = (id: number) => tokenizer.controlIds.has(id);
  return {
    hash: tokenizer.hash,
    encode,
    prompt,
    answer: (ids) => ({
      // The token that ends a sequence is no text.
      text: tokenizer.decode(ids.filter((id) => !isControl(id))),
      pieces: ids.map((id) => (isControl(id) ? '' : tokenizer.tokenText(id))),
    }),
    pieces: (ids) => ids.map((id) => tokenizer.tokenText(id)),
  };
}

/** Errors: model/bad-file, model/unsupported. */
export const openEngineText = (tokenizer: string, config: string | null): ModelText =>
  engineText(new TextTokenizer(tokenizer, config));
