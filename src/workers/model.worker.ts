// A model on our own engine in a worker of its own, so that neither page nor lab waits for its arithmetic.
// Knows no game and no log.
import { openEngineModel } from '../models/engine/index.ts';
import { modelApi } from './modelApi.ts';
import { findModel } from './modelFiles.ts';
import { tuned } from './tuned.ts';
import { serve } from './wire.ts';

serve(
  modelApi(async ({ model: name, engine, threads, memory = 0, base }, progress) => {
    const files = await findModel(name, base, {
      progress: (loaded, total) => progress('download', loaded, total),
    });
    return openEngineModel(files, {
      id: name,
      title: name,
      tuning: tuned,
      ...(engine ? { engine } : {}),
      ...(threads > 0 ? { threads } : {}),
      ...(memory > 0 ? { memoryBudget: memory * 2 ** 20 } : {}),
      onProgress: (read, all) => progress('weights', read, all),
    });
  }),
);
