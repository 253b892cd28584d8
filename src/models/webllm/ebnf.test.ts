import { describe, expect, test } from 'vitest';
import type { Phase, Preset } from '../../../games/contract.ts';
import { games } from '../../../games/registry.ts';
import { stream } from '../../../games/rng.ts';
import { answerGrammar } from '../../gym/answer.ts';
import { Automaton, DEAD } from '../constrain/automaton.ts';
import { derive } from '../constrain/derive.ts';
import { parseRegex } from '../constrain/regex.ts';
import { toEbnf } from './ebnf.ts';

/** Reads the notation by itself: what `toEbnf` writes is, word by word, also an expression of the platform. */
function readEbnf(ebnf: string): RegExp {
  const [, body] = /^root ::= (.*)\n$/.exec(ebnf)!;
  const word =
    /"((?:[A-Za-z0-9 ]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*)"|(\[(?:[^\]\\]|\\u[0-9a-f]{4})+\])|(\{\d+(?:,\d*)?\}|[*+?|()])| /y;
  let source = '';
  while (word.lastIndex < body!.length) {
    const at = word.lastIndex;
    const found = word.exec(body!);
    if (!found) throw new Error(`not EBNF at ${at}: ${body}`);
    const [, text, set, mark] = found;
    const plain = (escaped: string) => escaped.replaceAll(/\\U([0-9a-f]{8})/g, '\\u{$1}');
    source += text !== undefined ? `(?:${plain(text)})` : set !== undefined ? plain(set) : (mark ?? '');
  }
  return new RegExp(`^(?:${source.replaceAll(/\((?!\?)/g, '(?:')})$`, 'u');
}

const bytes = (text: string) => new TextEncoder().encode(text);
const accepts = (automaton: Automaton, text: string) => automaton.accepts(automaton.after(bytes(text)));

/** Texts of the grammar and near it: random walks through the automaton, some changed in one place. */
function* textsNear(automaton: Automaton, name: string, count: number, alphabet: readonly string[]): Generator<string> {
  const encoded = new Map(alphabet.map((char) => [char, bytes(char)]));
  for (let i = 0; i < count; i++) {
    const rng = stream('ebnf', name, i);
    let [text, state] = ['', automaton.start];
    while (text.length < 60 && !(automaton.accepts(state) && rng.int(3) === 0)) {
      const next = alphabet.filter((char) => automaton.after(encoded.get(char)!, state) !== DEAD);
      if (next.length === 0) break;
      const char = rng.pick(next);
      text += char;
      state = automaton.after(bytes(char), state);
    }
    yield text;
    const at = rng.int(text.length + 1);
    yield text.slice(0, at) + rng.pick(alphabet) + text.slice(at + rng.int(2));
  }
}

const printable = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), '\n', 'ü', '€', '😀'];

describe('the notation for WebLLM says the same as the automaton', () => {
  test.each([
    ['', 'the empty text'],
    ['a|bc|', 'an empty alternative'],
    ['(?:ab)*c?', 'a repeated group'],
    ['(?<x>a+)b{2,3}', 'counts'],
    ['a{0}b{2}c{1,}', 'counts without an end'],
    ['[A-Ca-c_-]+\\d', 'classes'],
    ['[^ab\\n]*x', 'a class of all others'],
    ['ü+€{0,2}😀?', 'characters beyond ASCII'],
    ['.*', 'anything on a line'],
    ['\\w\\s"\\\\"', 'quotes and backslashes'],
  ])('%s: %s', (source) => {
    const automaton = Automaton.of(source, { ignoreCase: true });
    const read = readEbnf(toEbnf(source));
    for (const text of textsNear(automaton, source, 300, printable)) {
      expect(read.test(text), JSON.stringify(text)).toBe(accepts(automaton, text));
    }
  });

  const setups = [...games.values()].flatMap((game) =>
    (['pocket', 'paper'] as Preset[]).flatMap((preset) =>
      (['explore', 'strict'] as Phase[]).map((phase) => ({
        name: `${game.id} ${preset} ${phase}`,
        game,
        preset,
        phase,
      })),
    ),
  );
  test.each(setups)('answers of $name', ({ name, game, preset, phase }) => {
    const grammar = answerGrammar('actions', game.grammar(game.configs[preset][phase]));
    const automaton = Automaton.of(grammar, { ignoreCase: true });
    const read = readEbnf(toEbnf(grammar));
    for (const text of textsNear(automaton, name, 60, printable)) {
      expect(read.test(text), text).toBe(accepts(automaton, text));
    }
    const config = game.configs[preset][phase];
    for (let i = 0; i < 20; i++) {
      const rng = stream('answers', name, i);
      const action = game.random(config, game.start(config, game.generate(config, rng)), rng);
      expect(read.test(`Answer: ${action}, Score: ${i}`), action).toBe(true);
    }
  });
});

describe('a forced beginning', () => {
  const grammar = answerGrammar('actions', 'UP|DOWN');

  test('is said once, and what follows is the rest of the grammar', () => {
    const read = readEbnf(toEbnf(grammar, 'Answer: UP, Score:'));
    for (const [text, fits] of [
      ['Answer: UP, Score: 1', true],
      ['Answer: UP, Score: -0.5\n', true],
      ['Answer: DOWN, Score: 1', false],
      ['Answer: UP, Score: one', false],
    ] as const) {
      expect(read.test(text), text).toBe(fits);
    }
  });

  test('that the grammar does not know may only end; without a grammar anything follows', () => {
    expect(toEbnf(grammar, 'no')).toBe('root ::= "no"\n');
    expect(readEbnf(toEbnf(null, 'Answer: UP, Score:')).test('Answer: UP, Score: who\nknows ü')).toBe(true);
  });

  test.each(['(?:ab|a)(?:b?c){1,3}d*', 'x{2,}y|x', '(?:a?){3}b'])('leaves of %s what its derivative says', (source) => {
    const automaton = Automaton.of(source);
    const alphabet = [...'abcdxy'];
    for (const text of textsNear(automaton, source, 200, alphabet)) {
      for (let cut = 0; cut <= text.length; cut++) {
        const rest = derive(parseRegex(source), bytes(text.slice(0, cut)));
        const read = rest && readEbnf(toEbnf(source, text.slice(0, cut)));
        expect(read?.test(text) ?? false, `${text.slice(0, cut)} · ${text.slice(cut)}`).toBe(accepts(automaton, text));
      }
    }
  });
});
