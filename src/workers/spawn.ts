// Starts the workers that the lab owns. The `new URL(…)` must stand in the call itself, or the build does not see the worker.
// The lab starts the model's and the games' workers itself: one owner, one life. When the page ends the lab, they end
// with it, and no port has to be handed on that could be left behind. Nested workers: Chromium, Firefox, Safari 16.4.
import gameScript from './game.worker.ts?worker&url';
import { startInheriting } from './inherit.ts';

export const modelWorker = () =>
  new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module', name: 'model' });
export const webllmWorker = () =>
  new Worker(new URL('./webllm.worker.ts', import.meta.url), { type: 'module', name: 'webllm' });
export const gameWorker = () =>
  new Worker(new URL('./game.worker.ts', import.meta.url), { type: 'module', name: 'game' });
/** For user-made games: under the policy of whoever starts it, so that their `import()` stays on this site. */
export const userGameWorker = () => startInheriting(new URL(gameScript, import.meta.url).href, 'game');
