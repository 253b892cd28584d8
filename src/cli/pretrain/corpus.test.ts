import { expect, it } from 'vitest';
import { findGame } from '../../../games/registry.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { encodeDocument, vocabularyOf } from './encode.ts';
import { makeDocument } from './corpus.ts';

const games = ['trust', 'snake', 'tetris', 'pvz', 'chess', 'minesweeper', 'nullify'].map((name) => findGame(name)!);
const { tokenizerJson, tokenizerConfigJson } = vocabularyOf(games, 40);
const tokenizer = new TextTokenizer(tokenizerJson, tokenizerConfigJson);

it.each(games.map((game) => [game.id, game] as const))('documents of %s are short and lossless', (_, game) => {
  for (let i = 0; i < 40; i++) {
    const document = makeDocument(game, `test ${i}`, i % 2 === 0 ? 'skills' : 'histories');
    const { ids, weights } = encodeDocument(document, tokenizer, 4096);
    expect(weights.length).toBe(ids.length);
    expect(weights.some((weight) => weight > 0)).toBe(true);
    expect(tokenizer.decode(ids.slice(1))).toBe(document.map((piece) => piece.text).join(''));
  }
});
