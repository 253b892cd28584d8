// The lab's worker: gives the lab what this browser has. Knows nothing of runs.
import type { CodedError } from '../errors.ts';
import { openStore } from '../log/open.ts';
import { takeRunLock } from '../log/runLock.ts';
import type { WantedEngine } from '../models/engine/choose.ts';
import { closingReport } from '../report/defaults.ts';
import { workerGameHost } from './gameHost.ts';
import { Lab } from './labService.ts';
import { openRemoteModel } from './remoteModel.ts';
import { openRenewed } from './renewed.ts';
import type { ModelCard } from '../models/types.ts';
import { serve } from './wire.ts';

/** The page's folder: a built worker lies in its `assets/`. Its own address is a blob's (inherit.ts). */
const base = new URL(import.meta.env.DEV ? '/' : '../', import.meta.url).href;
const cards = new Map<string, ModelCard>();

/** Tells the other tabs that this one computes: a model that lies idle there gives its memory back, the GPU's too. */
const tabs = new BroadcastChannel('s3gym-run');

const lab: Lab = new Lab({
  openStore: () => openStore(),
  async openModel(settings, loading, gone) {
    const spec = {
      ...{
        model: String(settings.model),
        threads: Number(settings.threads ?? 0),
        memory: Number(settings.memory ?? 0),
        base,
      },
      engine: settings.engine as WantedEngine,
    };
    const progress = (what: string, loaded: number, total: number | null) => loading(what, loaded, total);
    const open = (onDeath: (error: CodedError) => void) => openRemoteModel(spec, { progress, onDeath });
    const model = await openRenewed(open, gone);
    cards.set(model.card.id, model.card);
    return model;
  },
  async text(model) {
    // Loaded only where a log is verified.
    const { textsOf } = await import('./modelTexts.ts');
    return textsOf(model, base);
  },
  openHost: () => workerGameHost(),
  models: async () => [...cards.values()],
  async lock(title) {
    const release = await takeRunLock(title);
    tabs.postMessage('taken');
    return release;
  },
  report: closingReport,
});

tabs.onmessage = () => void lab.rest();
serve(lab);
