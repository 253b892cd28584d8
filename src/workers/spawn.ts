// Starts each kind of worker. The `new URL(…)` must stand in the call itself, or the build does not see the worker.
export const gameWorker = () =>
  new Worker(new URL('./game.worker.ts', import.meta.url), { type: 'module', name: 'game' });
