// The text side of an engine model: prompts as ids, ids as text. Needs the tokenizer's files and no weights.
import { chatTemplateOf, type ChatTemplate } from '../../engine/text/chat.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import type { ModelText } from '../types.ts';
import { chatLayout, plainLayout } from './layout.ts';

/** A model that has a chat template is spoken to in its turns. */
export function engineText(tokenizer: TextTokenizer, template: ChatTemplate | null): ModelText {
  const layout = template ? chatLayout(tokenizer, template) : plainLayout(tokenizer);
  const isControl = (id: number) => tokenizer.controlIds.has(id);
  return {
    ...layout,
    hash: tokenizer.hash,
    answer: (ids) => ({
      // The token that ends a sequence is no text.
      text: tokenizer.decode(ids.filter((id) => !isControl(id))),
      pieces: ids.map((id) => (isControl(id) ? '' : tokenizer.tokenText(id))),
    }),
    pieces: (ids) => ids.map((id) => tokenizer.tokenText(id)),
  };
}

/** A model's texts, as its folder or file has them; null where it has none. */
export interface TextFiles {
  tokenizer: string;
  tokenizerConfig: string | null;
  chatTemplate: string | null;
}

/** Errors: model/bad-file, model/unsupported, model/template. */
export const openEngineText = (files: TextFiles): ModelText =>
  engineText(new TextTokenizer(files.tokenizer, files.tokenizerConfig), chatTemplateOf(files));
