// `s3 play` with a scripted person.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { Args, type Io } from './command.ts';
import { command } from './commands/play.ts';

async function played(lines: string[], ...argv: string[]) {
  const out: string[] = [];
  const io: Io = {
    out: (line) => out.push(line),
    err: () => undefined,
    stdin: Readable.from(lines.map((line) => `${line}\n`)),
    root: '.',
    signal: new AbortController().signal,
  };
  const code = await command.run(new Args(command, argv), io);
  return { code, out: out.join('\n'), last: out.at(-1)! };
}

it('shows rules, board and legal actions, and ends with the score', async () => {
  const { code, out, last } = await played(
    Array(12).fill('cheat'),
    '--game',
    'trust',
    '--phase',
    'strict',
    '--seed',
    '3',
  );
  expect(code).toBe(0);
  expect(out).toContain('Answer: <ACTION>, Score: <NUMBER>');
  expect(out).toContain('step 1 of 10\nRound 1 of 10');
  expect(out).toContain('actions: collaborate | cheat');
  expect(last).toMatch(/^score -?\d+ points, (no )?success, 10 steps, ended: rule$/);
});

it('an empty line and a question take no step; the end of input stops the episode', async () => {
  const { out, last } = await played(['', '?', '!', 'DOWN', 'UP'], '--game', 'snake', '--preset', 'paper');
  expect(out).toContain('invalid: reverses the heading');
  expect(last).toMatch(/^score \d+ apples, no success, 3 steps, ended: stopped$/);
});

it.each([
  [['--game', 'nothing'], 'game/unknown'],
  [['--game', 'snake', '--split', 'unseen'], 'usage/bad-value'],
  [['--game', 'snake', '--phase', 'x'], 'usage/bad-value'],
  [[], 'usage/missing-flag'],
])('%j is bad use', (argv, code) => expect(played([], ...argv)).rejects.toMatchObject({ code }));
