import { expect, test } from 'vitest';
import { apart } from './thought.ts';

test.each([
  ['Answer: UP', 'Answer: UP', null, false],
  ['<think>\n\n</think>\n\nAnswer: UP', 'Answer: UP', null, false],
  ['<think>\nleft is a wall\n</think>\nAnswer: UP', 'Answer: UP', 'left is a wall', false],
  [' <think>so far', '', 'so far', true],
  // A template may have opened it.
  ['left is a wall\n</think>\n\nAnswer: UP', 'Answer: UP', 'left is a wall', false],
  // It may be on its way, or be something else.
  ['<thi', '', null, true],
  ['<b>', '<b>', null, false],
  ['', '', null, false],
])('%j', (written, text, thought, open) => {
  expect(apart(written)).toEqual({ text, from: written.length - text.length, thought, open });
});
