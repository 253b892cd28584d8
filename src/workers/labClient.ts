// The page's end of the lab: calls with their types, messages to one listener, and a death that is told.
import * as Comlink from 'comlink';
import { toErrorValue } from '../errors.ts';
import type { LabApi, LabMessage } from './contract.ts';
import { startInheriting } from './inherit.ts';
import labScript from './lab.worker.ts?worker&url';
import { WorkerOwner } from './owner.ts';

/** Under the page's own policy, which it hands on to user-made games. */
const labWorker = () => startInheriting(new URL(labScript, import.meta.url).href, 'lab');

/**
 * Starts the lab. When its worker dies, every pending call is rejected and the listener gets an `error`; open a new one.
 * Errors: worker/not-ready, worker/crashed; storage/blocked, storage/newer.
 */
export async function openLab(
  listener: (message: LabMessage) => void,
  create: () => Worker = labWorker,
): Promise<LabApi & { close(): void; readonly dead: boolean }> {
  const owner = new WorkerOwner<LabApi>({
    name: 'lab worker',
    create,
    parallel: true,
    onDeath: (error) => listener({ kind: 'error', runId: null, error: toErrorValue(error, 'worker/crashed') }),
  });
  const lab = {
    listen: (to: (message: LabMessage) => void) => owner.run((api) => api.listen(Comlink.proxy(to))),
    models: () => owner.run((api) => api.models()),
    start: (settings, from) => owner.run((api) => api.start(settings, from)),
    resume: (runId) => owner.run((api) => api.resume(runId)),
    pause: () => owner.run((api) => api.pause()),
    stepEpisode: () => owner.run((api) => api.stepEpisode()),
    continue: () => owner.run((api) => api.continue()),
    stop: () => owner.run((api) => api.stop()),
    runs: () => owner.run((api) => api.runs()),
    events: (runId) => owner.run((api) => api.events(runId)),
    blob: (hash) => owner.run((api) => api.blob(hash)),
    remove: (runId) => owner.run((api) => api.remove(runId)),
    exportRun: (runId, options) => owner.run((api) => api.exportRun(runId, options)),
    importRun: (file) => owner.run((api) => api.importRun(file)),
    verify: (runId) => owner.run((api) => api.verify(runId)),
    proveTraining: (runId, adapter, tensor, progress) =>
      owner.run((api) => api.proveTraining(runId, adapter, tensor, Comlink.proxy(progress))),
    close: () => owner.terminate(),
    get dead() {
      return owner.dead !== null;
    },
  } satisfies LabApi & { close(): void; readonly dead: boolean };
  try {
    await lab.listen(listener);
  } catch (error) {
    owner.terminate();
    throw error;
  }
  return lab;
}
