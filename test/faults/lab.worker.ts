// The lab's worker with everything real but the model, which is a script in a worker of its own.
import { openStore } from '../../src/log/open.ts';
import { takeRunLock } from '../../src/log/runLock.ts';
import { workerGameHost } from '../../src/workers/gameHost.ts';
import { Lab } from '../../src/workers/labService.ts';
import { openRemoteModel } from '../../src/workers/remoteModel.ts';
import { serve } from '../../src/workers/wire.ts';

const create = () => new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module' });

const lab: Lab = new Lab({
  openStore: () => openStore({ name: self.name }),
  openModel: (settings, loading, gone) =>
    openRemoteModel(
      { model: String(settings.model), threads: 0, base: self.location.href },
      { create, progress: loading, onDeath: gone },
    ),
  openHost: () => workerGameHost(),
  models: async () => [],
  lock: (title) => takeRunLock(title),
  report: () => ({ report: null, ledger: null }),
});

serve(lab);
