// How prompt parts become text and ids. `plain`: a growing transcript, each part encoded by itself, so that ids of what
// was said before never change. `chat`: turns in the model's own template, its answers with the ids that it wrote.
// Knows no game.
import type { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { encodeChat, type ChatMessage, type ChatTemplate } from '../../engine/text/chat.ts';
import { plainOf, type ModelText, type PromptPart } from '../types.ts';

export type Layout = Pick<ModelText, 'prompt' | 'encode' | 'begin'>;

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
    begin: encode,
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

/** Of models that may think first: they answer at once here. Other templates know no such variable. */
const AT_ONCE = { enable_thinking: false };

export function chatLayout(tokenizer: TextTokenizer, template: ChatTemplate): Layout {
  const plain = plainLayout(tokenizer);
  return {
    encode: plain.encode,
    // A turn begins without the blank that follows a transcript's label.
    begin: (text) => plain.encode(text.trimStart()),
    prompt(parts, exactIds = false) {
      if (exactIds) return plain.prompt(parts, true);
      const { rendered, ids } = encodeChat(tokenizer, template, parts.map(message), { variables: AT_ONCE });
      return { text: rendered, ids };
    },
  };
}

const message = (part: PromptPart): ChatMessage => ({
  role: part.role,
  content: part.text,
  ...(part.role === 'assistant' && part.ids ? { ids: part.ids } : {}),
});
