// A WebLLM model in a worker of its own, and what is to be known of all of them. The package is imported here and nowhere
// else, at the first call that needs it: https://github.com/mlc-ai/web-llm (0.2.86). Knows no game and no log.
import { CodedError } from '../errors.ts';
import { TextTokenizer } from '../engine/text/tokenizer.ts';
import type { Entry, WebllmModule } from '../models/webllm/api.ts';
import { importFiles, remove, sizes, type Caches, type Sizes } from '../models/webllm/cache.ts';
import { catalogue, type WebllmEntry } from '../models/webllm/catalogue.ts';
import { findDevice, watchDevices, type AdapterPrototype } from '../models/webllm/device.ts';
import { openWebllm } from '../models/webllm/index.ts';
import { entryOf } from '../models/webllm/name.ts';
import { modelApi } from './modelApi.ts';
import type { ModelWorkerApi } from './remoteModel.ts';
import { giveUp, serve } from './wire.ts';

export interface WebllmWorkerApi extends ModelWorkerApi {
  /** The whole list of WebLLM, with what this device lacks for each. */
  catalogue(): Promise<WebllmEntry[]>;
  /** Of a model by its name (`webllm:…`): what of it is kept here. */
  sizes(name: string): Promise<Sizes>;
  remove(name: string): Promise<void>;
  /** Takes the model's files from this machine, for one without a network. Errors: model/missing, model/bad-file. */
  importFiles(name: string, files: readonly File[]): Promise<void>;
}

const load = (): Promise<WebllmModule> => import('@mlc-ai/web-llm');

/** Errors: storage/unavailable. */
function kept(): Caches {
  // A page that came over plain HTTP from another machine has none.
  if (!('caches' in globalThis)) {
    throw new CodedError('storage/unavailable', 'this page may keep no files', 'open it over https, or from localhost');
  }
  return caches;
}

const entry = async (name: string): Promise<Entry> => entryOf(name, (await load()).prebuiltAppConfig.model_list);

const model = modelApi(({ model: name, stallMs }, progress) =>
  openWebllm({
    name,
    load,
    caches: kept(),
    storage: navigator.storage,
    device: () => findDevice(navigator),
    counter,
    progress,
    watchLoss(onLost) {
      const { GPUAdapter } = globalThis as { GPUAdapter?: { prototype: AdapterPrototype } };
      if (GPUAdapter) watchDevices(GPUAdapter.prototype, onLost);
    },
    onBroken: giveUp,
    ...(stallMs === undefined ? {} : { patience: { loadMs: stallMs, tokenMs: stallMs } }),
  }),
);

function counter(tokenizer: string): ((text: string) => number) | null {
  try {
    const ours = new TextTokenizer(tokenizer);
    return (text) => ours.encode(text).length;
  } catch {
    return null;
  }
}

serve({
  ...model,
  catalogue: async () => catalogue((await load()).prebuiltAppConfig.model_list, await findDevice(navigator)),
  sizes: async (name) => sizes(kept(), await entry(name)),
  remove: async (name) => remove(kept(), await entry(name)),
  importFiles: async (name, files) => importFiles(kept(), await entry(name), files),
} satisfies WebllmWorkerApi);
