// The reader without a browser: its worker is the other end of a channel, and can be made to die.
import * as Comlink from 'comlink';
import { beforeEach, expect, test } from 'vitest';
import { smallLog } from '../../../test/faults/log.ts';
import { CodedError } from '../../errors.ts';
import type { RunEvent } from '../../log/events.ts';
import type { Report } from '../../report/types.ts';
import { Reader } from './client.ts';

const log = smallLog(6);
let workers: { port: MessagePort; held: RunEvent[] }[] = [];
let full = false;

/** Holds events as the real one does; its report is how many it holds. */
function create(): Worker {
  const { port1, port2 } = new MessageChannel();
  const worker = { port: port1, held: [] as RunEvent[] };
  Comlink.expose(
    {
      reset: () => void (worker.held = []),
      append: (events: RunEvent[]) => {
        if (full) throw new CodedError('worker/full', 'too long a log');
        worker.held.push(...events);
      },
      report: () => worker.held.length as unknown as Report,
    },
    port2 as unknown as Comlink.Endpoint,
  );
  workers.push(worker);
  port2.postMessage({ s3: 'ready', lock: null });
  return Object.assign(port1, { terminate: () => port1.close() }) as unknown as Worker;
}

const kill = () => workers.at(-1)!.port.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));

beforeEach(() => {
  [workers, full] = [[], false];
});

test('a reader that died is opened again with the log that it held', async () => {
  const reader = new Reader(create);
  await reader.append(log.slice(0, 3));
  expect(await reader.report(3)).toBe(3);
  kill();
  expect(await reader.report(3)).toBe(3);
  expect(workers.length).toBe(2);
  await reader.append(log.slice(3, 4));
  expect(workers[1]!.held).toEqual(log.slice(0, 4));
  reader.close();
});

test('a new reader that cannot be given the log says so, instead of a report of nothing', async () => {
  const reader = new Reader(create);
  await reader.append(log);
  kill();
  full = true;
  await expect(reader.report(6)).rejects.toMatchObject({ code: 'worker/full' });
  reader.close();
});

test('events that come while it is dead, or while it starts, arrive once', async () => {
  const reader = new Reader(create);
  await reader.append(log.slice(0, 2));
  kill();
  await Promise.all([reader.append(log.slice(2, 3)), reader.append(log.slice(3, 5))]);
  expect(await reader.report(5)).toBe(5);
  expect(workers[1]!.held).toEqual(log.slice(0, 5));
  reader.close();
});

test('what is asked as it dies is told so; a reset empties the new one; a closed reader stays closed', async () => {
  const reader = new Reader(create);
  await reader.append(log);
  const asked = reader.report(1);
  kill();
  await expect(asked).rejects.toMatchObject({ code: 'worker/crashed' });
  await reader.reset();
  expect(await reader.report(0)).toBe(0);
  reader.close();
  await expect(reader.report(0)).rejects.toMatchObject({ code: 'worker/terminated' });
  expect(workers.length).toBe(2);
});
