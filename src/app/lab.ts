// The page's end of the lab worker: every call through its owner, so that none is left hanging when the worker dies.
import * as Comlink from 'comlink';
import type { LabApi, LabMessage } from '../workers/contract.ts';
import { WorkerOwner } from '../workers/owner.ts';

const CALLS = [
  'models', 'start', 'resume', 'pause', 'stepEpisode', 'continue', 'stop', 'runs', 'events', 'blob', 'remove',
  'exportRun', 'importRun', 'verify', 'replay',
] as const satisfies readonly (keyof LabApi)[]; // prettier-ignore

/** Starts the worker and listens. `onDeath`: the worker is gone; open a new lab. */
export async function openLab(listener: (message: LabMessage) => void, onDeath: () => void): Promise<LabApi> {
  const owner = new WorkerOwner<LabApi>({
    name: 'lab',
    create: () => new Worker(new URL('../workers/lab.worker.ts', import.meta.url), { type: 'module', name: 'lab' }),
    parallel: true,
    onDeath: ({ code, message, hint, detail }) => {
      onDeath();
      const error = { code, message, hint, ...(detail === undefined ? {} : { detail }) };
      listener({ kind: 'error', runId: null, error });
    },
  });
  await owner.run((api) => api.listen(Comlink.proxy(listener)));
  const calls = CALLS.map((name) => {
    const call = (...args: unknown[]) =>
      owner.run((api) => (api[name] as unknown as (...args: unknown[]) => Promise<unknown>)(...args));
    return [name, call] as const;
  });
  return Object.fromEntries(calls) as unknown as LabApi;
}
