import { expect, it } from 'vitest';
import { diffLines } from './diff.ts';

it('keeps what stays, marks what is new and what is gone', () => {
  expect(diffLines('a\nb\nc', 'a\nc\nd').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'same a',
    'gone b',
    'same c',
    'new d',
  ]);
  expect(diffLines('', 'a')).toEqual([{ kind: 'new', text: 'a' }]);
  expect(diffLines('a', '')).toEqual([{ kind: 'gone', text: 'a' }]);
});

it('does not compare what is too long to compare', () => {
  const long = Array.from({ length: 500 }, (_, i) => `${i}`).join('\n');
  expect(diffLines('x', long)[0]).toEqual({ kind: 'same', text: '0' });
});
