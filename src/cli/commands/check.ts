// `s3 check`: the conformance suite on one of our games or on a user-made one. User code runs in a worker thread that
// dies after 2 s without progress; that guards against loops, not against malice.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { checkGame, type CheckResult } from '../../../games/check.ts';
import { findGame } from '../../../games/registry.ts';
import { readUserGame } from '../../../games/userGame.ts';
import { CodedError, fromErrorValue, toErrorValue, type ErrorValue } from '../../errors.ts';
import type { Command } from '../command.ts';

const QUIET_MS = 2000;
/** The worker's own start, before any user code, may be slow on a busy machine. */
const START_MS = 30_000;

interface Job {
  s3: 'check';
  file: string;
  seeds: number;
}
type Message =
  | { kind: 'ready' }
  | { kind: 'progress'; check: string }
  | { kind: 'done'; game: string; results: CheckResult[] }
  | { kind: 'failed'; error: ErrorValue };

export const command: Command = {
  name: 'check',
  summary: 'the conformance suite on a game, ours (by name) or yours (a module that default-exports one)',
  usage: 'FILE.js|GAME [--seeds N] [--json]',
  flags: { seeds: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [1, 1],
  interruptible: true,
  async run(args, io) {
    const [target] = args.positionals as [string];
    const seeds = args.integer('seeds', 1000, [1, 100_000]);
    const ours = findGame(target);
    let checked: { game: string; results: CheckResult[] };
    if (ours) checked = { game: ours.id, results: checkGame(ours, { seeds }) };
    else {
      const file = resolve(target);
      if (!existsSync(file)) throw new CodedError('usage/no-file', `no file and no game ${target}`, 's3 check FILE.js');
      checked = await inWorker({ s3: 'check', file, seeds }, io.signal, io.err);
    }
    const ok = checked.results.every((result) => result.ok);
    if (args.flag('json')) io.out(JSON.stringify({ ...checked, ok }));
    else {
      io.out(`${checked.game}: ${ok ? 'conforms' : 'does not conform'}`);
      for (const { check, ok: passed, detail } of checked.results) {
        io.out(`${passed ? '  ok  ' : '  FAIL'} ${check.padEnd(13)} ${detail}`);
      }
    }
    return ok ? 0 : 1;
  },
};

function inWorker(job: Job, signal: AbortSignal, err: (line: string) => void) {
  return new Promise<{ game: string; results: CheckResult[] }>((done, fail) => {
    // This module is its own worker: in the bundle it is a chunk, and `import.meta.url` is that chunk's file.
    const worker = new Worker(new URL(import.meta.url), {
      workerData: job,
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    });
    let at = 'loading';
    let timer: NodeJS.Timeout;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupted);
      void worker.terminate();
      finish();
    };
    const late = () =>
      settle(() =>
        fail(
          new CodedError(
            'game/timeout',
            `no progress for ${QUIET_MS / 1000} s in ${at}`,
            'a function of the game loops or is too slow',
          ),
        ),
      );
    const wait = (limit: number) => {
      clearTimeout(timer);
      timer = setTimeout(late, limit);
    };
    const interrupted = () => settle(() => fail(new CodedError('game/interrupted', 'the check was interrupted')));
    signal.addEventListener('abort', interrupted);
    wait(START_MS);
    worker.stdout.on('data', (text: Buffer) => err(text.toString().trimEnd()));
    worker.stderr.on('data', (text: Buffer) => err(text.toString().trimEnd()));
    worker.on('message', (message: Message) => {
      switch (message.kind) {
        case 'ready':
          return wait(QUIET_MS);
        case 'progress':
          at = `check ${message.check}`;
          return wait(QUIET_MS);
        case 'done':
          return settle(() => done({ game: message.game, results: message.results }));
        case 'failed':
          return settle(() => fail(fromErrorValue(message.error)));
        default:
          return message satisfies never;
      }
    });
    worker.on('error', (error: Error) =>
      settle(() => fail(new CodedError('game/crashed', error.message.split('\n')[0]!))),
    );
    worker.on('exit', () => settle(() => fail(new CodedError('game/crashed', `the worker ended in ${at}`))));
  });
}

async function work({ file, seeds }: Job, post: (message: Message) => void) {
  post({ kind: 'ready' });
  try {
    const { default: exported } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { default: unknown };
    const game = readUserGame(exported);
    let last = 0;
    let at = '';
    const results = checkGame(game, {
      seeds,
      onProgress(check) {
        const now = Date.now();
        if (check === at && now - last < 100) return;
        [last, at] = [now, check];
        post({ kind: 'progress', check });
      },
    });
    post({ kind: 'done', game: game.id, results });
  } catch (error) {
    const { message, detail } = toErrorValue(error, 'game/bad-module');
    const hint = 'default-export a game, or a function ({ defineGame, stream }) => game';
    post({
      kind: 'failed',
      error: { code: 'game/bad-module', message: message.split('\n')[0]!, hint, ...(detail ? { detail } : {}) },
    });
  }
}

const job = workerData as Job | null;
if (!isMainThread && parentPort && job?.s3 === 'check') {
  const port = parentPort;
  await work(job, (message) => port.postMessage(message));
}
