import { expect, it } from 'vitest';
import { findGame } from '../../../games/registry.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { encodeDocument, vocabularyOf } from './encode.ts';
import { makeDocument } from './corpus.ts';
import { makeDrill } from './drill.ts';

const games = ['trust', 'snake', 'tetris', 'pvz', 'chess', 'minesweeper', 'nullify'].map((name) => findGame(name)!);
const { tokenizerJson, tokenizerConfigJson } = vocabularyOf(games, 40);
const tokenizer = new TextTokenizer(tokenizerJson, tokenizerConfigJson);

it('drills are lossless, and what is said again is what was listed', () => {
  for (let i = 0; i < 60; i++) {
    const document = makeDrill(`test ${i}`);
    const { ids, weights } = encodeDocument(document, tokenizer, 4096);
    expect(tokenizer.decode(ids.slice(1))).toBe(document.map(({ text }) => text).join(''));
    expect(weights.filter((weight) => weight > 0).length).toBeGreaterThan(4);
    // What is listed is drawn at random: there is nothing to learn in it.
    for (const { text, weight } of document) if (text.includes('Env:')) expect(weight).toBe(0);
    const words = (text: string) => text.match(/[\w:,()]+/g) ?? [];
    // Of a piece the cell alone: its answer names the piece before a cell that stood elsewhere.
    const cell = (word: string) => word.split(':').at(-1);
    const listed = new Set(words(document[0]!.text).map(cell));
    for (const word of words(document[1]!.text.replace('\nLLM: Answer:', ''))) expect(listed).toContain(cell(word));
  }
});

it.each(games.map((game) => [game.id, game] as const))('documents of %s are short and lossless', (_, game) => {
  for (let i = 0; i < 40; i++) {
    const document = makeDocument(game, `test ${i}`, i % 2 === 0 ? 'skills' : 'histories');
    const { ids, weights } = encodeDocument(document, tokenizer, 4096);
    expect(weights.length).toBe(ids.length);
    expect(weights.some((weight) => weight > 0)).toBe(true);
    expect(tokenizer.decode(ids.slice(1))).toBe(document.map((piece) => piece.text).join(''));
  }
});
