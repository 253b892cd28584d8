import { expect, test } from 'vitest';
import { scriptedModel } from '../models/scripted/index.ts';
import { CHAT_GRAMMAR, judgeAll, judgeParts, parseVerdict } from './judging.ts';

test.each([
  [' 1', 1],
  [' 0.25\n', 0.25],
  ['It moves onto the apple.\nScore: 1', 1],
  ['Score: 0\nNo: Score: -1.', -1],
  ['score: 2', 2],
  ['', null],
  ['one', null],
  ['Score: 1 or 2', null],
  ['Score:', null],
])('%j is read as %j', (completion, score) => {
  expect(parseVerdict(completion)).toBe(score);
});

test('a plain judge reads the transcript of what it judged, a talking one the state alone', () => {
  const proposal = { rules: 'RULES', before: [{ state: 'a', action: 'up', score: 1 }], state: 'b', action: 'down' };
  const [head] = judgeParts('plain', proposal);
  expect(head).toMatchObject({ role: 'system' });
  expect(judgeParts('plain', proposal)).toHaveLength(4);
  const [chat] = judgeParts('chat', proposal);
  expect(chat!.text).toContain('Proposed action: down');
  expect(chat!.text).not.toContain('up');
});

test('a talking judge gives a reason before its verdict, and is held to come to one', async () => {
  const [form, asked] = [new RegExp(`^${CHAT_GRAMMAR}$`), [] as unknown[]];
  for (const said of ['It eats the apple.\nScore: 1', 'Nothing.\nScore: -0.5\n']) expect(said).toMatch(form);
  for (const said of ['Score: 1', 'x'.repeat(401) + '\nScore: 1', 'Why.\nScore: high']) expect(said).not.toMatch(form);
  const proposal = { rules: 'RULES', before: [], state: 'b', action: 'down' };
  for (const layout of ['plain', 'chat'] as const) {
    const script = scriptedModel({
      answer: (_, request) => (asked.push(request.grammar), layout === 'plain' ? '1' : 'Why.\nScore: 1'),
    });
    const [verdict] = await judgeAll([proposal], { ...script, card: { ...script.card, layout } });
    expect(verdict).toMatchObject({ score: 1, layout });
  }
  expect(asked).toEqual([undefined, CHAT_GRAMMAR]);
});
