import { expect, test } from 'vitest';
import type { RunOpened } from '../log/events.ts';
import { armLook, armText } from './arms.ts';

test('a title stands in lists: variants in parentheses, no hyphen, no comma', () => {
  const names = ['history', 'history-ranked', 'history@blocks', 'training-random@oracle-judge@blocks'];
  expect(names.map((name) => armLook(name).title)).toEqual([
    'history',
    'history ranked',
    'history (blocks)',
    'training random (oracle judge and blocks)',
  ]);
});

test('what the run declares of an arm stands beside it; its name speaks where nothing is declared', () => {
  const declared = { plugin: 'x', version: '1', reads: [] };
  const arms = [
    { ...declared, name: 'frozen', label: 'hidden-reward' as const },
    { ...declared, name: 'frozen-sharp', label: 'oracle-fed' as const, note: 'dev-selected' },
  ];
  const opened = { arms } as unknown as RunOpened;
  expect(['frozen', 'frozen-sharp', 'training@oracle-judge'].map((name) => armText(name, opened))).toEqual([
    'frozen',
    'frozen sharp [oracle-fed, dev-selected]',
    'training (oracle judge) [oracle-fed]',
  ]);
});
