// FOR TESTS: the lab's part of a user-made game: one episode in a game worker, the first step's answer.
import { CodedError } from '../../src/errors.ts';
import { workerGameHost } from '../../src/workers/gameHost.ts';

addEventListener('message', async ({ data: source }: MessageEvent<string>) => {
  const host = workerGameHost({ sources: { 'count-v1': source } });
  try {
    const { id } = await host.reset({ game: 'count-v1', preset: 'pocket', phase: 'explore', seed: 1 });
    postMessage((await host.step(id, 'found')).feedback);
  } catch (error) {
    postMessage(error instanceof CodedError ? error.code : String(error));
  }
  await host.close();
});
