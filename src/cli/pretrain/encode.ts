// Documents as ids and token weights, and nano's vocabulary out of the games' own texts. Knows no optimiser.
import type { Game } from '../../../games/contract.ts';
import { buildVocabulary, wordsOf } from '../../engine/text/vocabulary.ts';
import type { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { makeDocument, type Document } from './corpus.ts';

/** Words that the generic pattern would split, one token each: the frame of every prompt and answer. */
const FRAME = ['Env:', 'LLM:', ' Answer:', ' Score:', 'Tips:', 'Note:', 'Episode:', 'Correct:', 'Goal:', 'Judge:'];

/** A word that occurs less often than this is spelled in bytes. */
const RARE = 8;

/** The tokenizer's files, from `count` documents of each game. */
export function vocabularyOf(games: readonly Game[], count: number): ReturnType<typeof buildVocabulary> {
  const texts: string[] = [];
  for (const game of games) {
    for (let i = 0; i < count; i++)
      texts.push(
        makeDocument(game, `vocabulary ${i}`, i % 2 === 0 ? 'skills' : 'histories', 'skills')
          .map((piece) => piece.text)
          .join(''),
      );
    texts.push(...Object.values(game.tips ?? {}).map((tip) => ` ${tip}`));
  }
  return buildVocabulary([...FRAME, ...wordsOf(texts, RARE)]);
}

export interface Encoded {
  ids: number[];
  weights: number[];
}

/**
 * A newline that ends an answer is learnt although it opens the next turn. Documents longer than `limit` tokens are cut
 * at a whole piece.
 */
export function encodeDocument(document: Document, tokenizer: TextTokenizer, limit: number): Encoded {
  const ids: number[] = tokenizer.bos === null ? [] : [tokenizer.bos];
  const weights: number[] = ids.map(() => 0);
  let answered = 0;
  for (const { text, weight } of document) {
    const piece = tokenizer.encode(text);
    if (ids.length + piece.length > limit) break;
    const end = text.startsWith('\n') ? answered : 0;
    weights.push(...piece.map((_, i) => (i === 0 ? Math.max(weight, end) : weight)));
    ids.push(...piece);
    answered = weight;
  }
  return { ids, weights };
}
