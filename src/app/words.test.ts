import { expect, test } from 'vitest';
import { keptWords } from './words.ts';

test('what the browser promises of what is stored, in words', () => {
  expect(keptWords(null)).toBe('');
  expect(keptWords({ persistent: true, room: 2e9 })).toBe(
    'The browser keeps them until you delete them. Room for 2.00 GB in all.',
  );
  for (const persistent of [false, null]) {
    expect(keptWords({ persistent, room: null })).toBe('The browser may clear them when it runs short of space.');
  }
});
