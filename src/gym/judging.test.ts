import { expect, test } from 'vitest';
import { judgeParts, parseVerdict } from './judging.ts';

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
