// A model that answers by a script: for tests, and for runs that show the cycle without any weights. Its "tokens" are
// the UTF-16 units of the text, so that ids, budgets and prefixes behave as they do with a real tokenizer.
import { hashText } from '../../hash.ts';
import { plainText, type Completion, type CompletionRequest, type LanguageModel, type ModelText } from '../types.ts';

export interface ScriptedOptions {
  /** The answer's text, given the whole prompt and the request. A newline is added where the request stops at one. */
  answer: (prompt: string, request: CompletionRequest) => string;
  context?: number;
  name?: string;
}

const toIds = (text: string): number[] => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
const toPieces = (text: string): string[] => text.split('');
const toText = (ids: readonly number[]): string => ids.map((id) => String.fromCharCode(id)).join('');
const TOKENIZER = hashText('utf-16');

/** The text side of every scripted model. */
export const scriptedText: ModelText = {
  hash: TOKENIZER,
  encode: toIds,
  begin: toIds,
  prompt: (parts) => ({ text: plainText(parts), ids: toIds(plainText(parts)) }),
  answer: (ids) => ({ text: toText(ids), pieces: toPieces(toText(ids)) }),
  pieces: (ids) => toPieces(toText(ids)),
};

export function scriptedModel({ answer, context = 100_000, name = 'scripted' }: ScriptedOptions): LanguageModel {
  return {
    card: {
      id: name,
      title: name,
      kind: 'scripted',
      hash: hashText(name),
      tokenizerHash: TOKENIZER,
      parameters: 0,
      context,
      layout: 'plain',
      canTrain: false,
      engine: 'script',
    },
    async complete(requests) {
      return requests.map((request): Completion => {
        const promptText = plainText(request.parts);
        const base = { promptIds: toIds(promptText), promptText, logprob: null, maskedMass: 0, cachedTokens: 0 };
        if (promptText.length >= context) {
          return { ...base, text: '', ids: [], pieces: [], forcedIds: 0, finish: 'context' };
        }
        const forced = request.forced ?? '';
        const end = request.sampling.stop?.includes('\n') ? '\n' : '';
        const text = `${forced}${answer(promptText, request)}${end}`.slice(
          0,
          forced.length + request.sampling.maxTokens,
        );
        return { ...base, text, ids: toIds(text), pieces: toPieces(text), forcedIds: forced.length, finish: 'stop' };
      });
    },
    countTokens: async (texts) => texts.map((text) => text.length),
    pieces: async (sequences) => sequences.map(scriptedText.pieces),
    close: async () => {},
  };
}
