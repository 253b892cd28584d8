import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Game, Phase, Preset } from '../../../games/contract.ts';
import { matchAction } from '../../../games/grammar.ts';
import { games } from '../../../games/registry.ts';
import { stream } from '../../../games/rng.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { answerGrammar, parseAnswer } from '../../gym/answer.ts';
import { Automaton, DEAD } from './automaton.ts';
import { Masker, type Vocabulary } from './masks.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const accepts = (automaton: Automaton, text: string) => automaton.accepts(automaton.after(bytes(text)));

describe('the automaton agrees with the platform’s regular expressions', () => {
  const sources = [
    '',
    'a',
    'a|bc|',
    '(?:ab)*c?',
    '(?<x>a+)b{2,3}',
    '[A-Ca-c_-]+',
    '[^ab\\n]*x',
    '\\(\\d{1,2},? ?\\d\\)',
    'ü+.\\.',
    '\\w\\s\\d',
    'a{0}b{2}',
    '(?:a?){5}',
  ];
  const alphabet = [...'abcxABC_-,. ()0129ü\n', 'é'];
  test.each(sources)('%s', (source) => {
    for (const ignoreCase of [false, true]) {
      const ours = Automaton.of(source, { ignoreCase });
      const theirs = new RegExp(`^(?:${source})$`, ignoreCase ? 'iu' : 'u');
      const rng = stream('regex', source);
      let matched = 0;
      for (let i = 0; i < 3000; i++) {
        const text = Array.from({ length: rng.int(7) }, () => rng.pick(alphabet)).join('');
        const expected = theirs.test(text);
        expect(accepts(ours, text), JSON.stringify(text)).toBe(expected);
        matched += Number(expected);
      }
      if (source.length > 3) continue;
      expect(matched).toBeGreaterThan(0);
    }
  });

  test.each([
    '^a',
    'a$',
    '(?=a)',
    '(a',
    'a)',
    '[a',
    '\\b',
    '\\1',
    'a{2',
    'a{3,2}',
    '+',
    'a{5000}',
    '[z-a]',
    '\\',
    '('.repeat(20_000),
  ])('refuses %s with a code', (source) => {
    expect(() => Automaton.of(source)).toThrow(expect.objectContaining({ code: 'usage/grammar' }));
  });
});

/** A vocabulary of single bytes and of the pieces that a byte-pair tokenizer might have, boundaries crossed. */
function vocabularyOf(pieces: readonly string[]): Vocabulary {
  const all = [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), ...pieces.map(bytes)];
  return { vocabSize: all.length + 1, bytesOf: (id) => all[id]!, controlIds: new Set([all.length]) };
}

const setups = [...games.values()].flatMap((game) =>
  (['pocket', 'paper'] as Preset[]).flatMap((preset) =>
    (['explore', 'strict'] as Phase[]).map((phase) => ({ name: `${game.id} ${preset} ${phase}`, game, preset, phase })),
  ),
);
const grammarOf = (game: Game, preset: Preset, phase: Phase) => game.grammar(game.configs[preset][phase]);

describe('what the mask allows is exactly what the game’s parser reads', () => {
  const pieces = [
    'Answer',
    ': ',
    'er: ',
    ', Sc',
    'ore:',
    'ore: 1',
    ' 0\n',
    '0, Score: ',
    '1 0',
    ';',
    ' W',
    'A:',
    '4,4',
    '(1',
    'UP',
    'collab',
    'orate, S',
    '\n',
    '99',
  ];
  const vocabulary = vocabularyOf(pieces);
  const end = vocabulary.vocabSize - 1;

  test.each(setups)('walks of $name are whole answers', ({ game, preset, phase }) => {
    const actions = grammarOf(game, preset, phase);
    const masker = new Masker(vocabulary, [end], vocabulary.vocabSize + 7);
    for (let seed = 0; seed < 40; seed++) {
      const rng = stream('walk', game.id, seed);
      const masking = masker.masking(answerGrammar('actions', actions));
      const ids: number[] = [];
      while (ids.at(-1) !== end) {
        const mask = masking(ids);
        expect(mask).toHaveLength(vocabulary.vocabSize + 7);
        expect(mask.subarray(vocabulary.vocabSize).every((on) => on === 0)).toBe(true);
        const allowed = [...mask.keys()].filter((id) => mask[id] === 1);
        expect(allowed.length).toBeGreaterThan(0);
        ids.push(ids.length > 60 && mask[end] === 1 ? end : rng.pick(allowed));
        if (ids.length > 400) break; // a list of placements may go on
      }
      if (ids.at(-1) !== end) continue;
      const text = new TextDecoder().decode(
        Uint8Array.from(ids.slice(0, -1).flatMap((id) => [...vocabulary.bytesOf(id)])),
      );
      const { action, score } = parseAnswer(text);
      expect(action, text).not.toBeNull();
      expect(score, text).not.toBeNull();
      expect(matchAction(actions, action!), text).not.toBeNull();
    }
  });

  test.each(setups)('every action that $name reads can be written', ({ game, preset, phase }) => {
    const actions = grammarOf(game, preset, phase);
    const automaton = Automaton.of(answerGrammar('actions', actions), { ignoreCase: true });
    const samples = sampleActions(game, preset, phase);
    const rng = stream('samples', game.id);
    for (const sample of samples) {
      // Changed here and there, too: the two must refuse alike.
      for (let k = 0; k < 6; k++) {
        const at = rng.int(sample.length + 1);
        const changed =
          k === 0 ? sample : sample.slice(0, at) + rng.pick([...'0 1,;:()A-Xup9']) + sample.slice(at + rng.int(2));
        if (changed !== changed.trim()) continue; // the contract trims what surrounds an action
        const text = `Answer: ${changed}, Score: 1`;
        expect(accepts(automaton, text), text).toBe(matchAction(actions, changed) !== null);
      }
    }
  });

  test('the frame asks for the form alone', () => {
    const frame = Automaton.of(answerGrammar('frame', 'UP'), { ignoreCase: true });
    expect(accepts(frame, ' Answer: anything at all, Score: -0.25\n')).toBe(true);
    expect(accepts(frame, 'Answer: é, Score: 1')).toBe(true);
    expect(accepts(frame, 'Answer: UP')).toBe(false);
    expect(accepts(frame, 'I think. Answer: UP, Score: 1')).toBe(false);
    expect(frame.after(bytes('Answer:\n'))).toBe(DEAD);
  });

  test('a forced beginning counts', () => {
    const masker = new Masker(vocabulary, [end], vocabulary.vocabSize);
    const mask = masker.masking(answerGrammar('actions', 'UP|DOWN'), [...bytes(' Answer: UP, Score:')])([]);
    const allowed = [...mask.keys()].filter((id) => mask[id] === 1);
    expect(allowed.map((id) => new TextDecoder().decode(vocabulary.bytesOf(id)))).toEqual([' ', ' 0\n']);
  });
});

test('nano’s own tokens: a space and the word that follows are one', () => {
  const read = (name: string) => readFileSync(new URL(`../../../public/models/nano/${name}`, import.meta.url), 'utf8');
  const tokenizer = new TextTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
  const masker = new Masker(tokenizer, [tokenizer.eos!], tokenizer.vocabSize);
  const masking = masker.masking(answerGrammar('actions', 'UP|DOWN|LEFT|RIGHT'));
  const ids = tokenizer.encode(' Answer:');
  const allowed = [...masking(ids).entries()].filter(([, on]) => on === 1).map(([id]) => tokenizer.tokenText(id));
  const words = [' UP', ' DOWN', ' LEFT', ' RIGHT'];
  for (const text of allowed)
    expect(
      words.some((word) => word.startsWith(text.toUpperCase())),
      text,
    ).toBe(true);
  expect(allowed).toContain(' UP');
  expect(masking([...ids, ...tokenizer.encode(' UP')])[tokenizer.eos!]).toBe(0);
});

function sampleActions(game: Game, preset: Preset, phase: Phase): string[] {
  const config = game.configs[preset][phase];
  const found = new Set<string>();
  for (let seed = 0; seed < 6; seed++) {
    const rng = stream('instance', seed);
    const state = game.start(config, game.generate(config, rng));
    for (const action of (game.actions(config, state) ?? []).slice(0, 20)) found.add(action);
    found.add(game.random(config, state, rng));
    found.add(game.expert(config, state, rng));
  }
  return [...found];
}
