// The grammar engine itself, XGrammar as it lies in WebLLM's package, reads what we write for it. The package does not
// export it: its source is given one more export for this test.
import source from '../../../node_modules/@mlc-ai/web-llm/lib/index.js?raw';
import { expect, test } from 'vitest';
import { games } from '../../../games/registry.ts';
import { stream } from '../../../games/rng.ts';
import { answerGrammar } from '../../gym/answer.ts';
import { CHAT_GRAMMAR } from '../../gym/judging.ts';
import { Automaton } from '../constrain/automaton.ts';
import { toEbnf } from './ebnf.ts';

interface XGrammar {
  Testings: { isGrammarAcceptString(grammar: string, text: string): Promise<boolean> };
}
const url = URL.createObjectURL(
  new Blob([`${source}\nexport { libExports$1 as xgrammar };`], { type: 'text/javascript' }),
);
const { xgrammar } = (await import(/* @vite-ignore */ url)) as { xgrammar: XGrammar };

/** Each text, and the same with a character changed, put in or left out. */
async function agree(grammar: string, texts: readonly string[], name: string) {
  const automaton = Automaton.of(grammar, { ignoreCase: true });
  const ebnf = toEbnf(grammar);
  const rng = stream('xgrammar', name);
  for (const text of texts) {
    const at = rng.int(text.length + 1);
    for (const one of [text, text.slice(0, at) + rng.pick([...'0a ,:\nü']) + text.slice(at + rng.int(2))]) {
      const expected = automaton.accepts(automaton.after(new TextEncoder().encode(one)));
      expect(await xgrammar.Testings.isGrammarAcceptString(ebnf, one), JSON.stringify(one)).toBe(expected);
    }
  }
}

test.each([...games.values()])('answers of $id', async (game) => {
  const config = game.configs.pocket.explore;
  const texts = Array.from({ length: 8 }, (_, i) => {
    const rng = stream('answers', game.id, i);
    const action = game.random(config, game.start(config, game.generate(config, rng)), rng);
    return ` Answer: ${i % 2 ? action : action.toLowerCase()}, Score: ${i / 4}${i % 3 ? '\n' : ''}`;
  });
  await agree(answerGrammar('actions', game.grammar(config)), texts, game.id);
});

test('a judge’s reason and verdict, a frame, characters beyond ASCII', async () => {
  await agree(CHAT_GRAMMAR, ['It eats.\nScore: 1', `${'ü'.repeat(200)}\nScore: -2.5\n`, 'Score: 1'], 'judge');
  await agree(answerGrammar('frame', ''), ['Answer: anything “at” all, Score: 3'], 'frame');
  await agree('ü+€{0,2}😀?|a{2,}', ['üü€', 'ü😀', 'aaa'], 'beyond');
});

test('a forced beginning', async () => {
  const ebnf = toEbnf(answerGrammar('actions', 'UP|DOWN'), 'Answer: UP, Score:');
  const said = ['Answer: UP, Score: 1\n', 'Answer: DOWN, Score: 1', 'Answer: UP, Score: x'];
  const accepted = await Promise.all(said.map((text) => xgrammar.Testings.isGrammarAcceptString(ebnf, text)));
  expect(accepted).toEqual([true, false, false]);
});
