// A `LanguageModel` by WebLLM: loads with patience and a proof, answers one request at a time. Whatever WebLLM's own
// calls leave hanging, swallow or throw comes out of here as a coded error. Knows no game.
import { hashText } from '../../hash.ts';
import { CodedError } from '../../errors.ts';
import type { LanguageModel } from '../types.ts';
import type { Engine, Entry, Progress, WebllmModule } from './api.ts';
import { checkRoom, fetchShardList, folderOf, purge, sizes, textOf, type Caches, type Storage } from './cache.ts';
import { obstacles } from './catalogue.ts';
import type { Device } from './device.ts';
import { faultOf, isFatal } from './faults.ts';
import { generate, type Talk } from './generate.ts';
import { entryOf, parametersOf, thinksFirst } from './name.ts';
import { Tap } from './tap.ts';
import { patiently } from './watch.ts';

export interface WebllmOptions {
  /** `webllm:…`, see name.ts. */
  name: string;
  /** Imports the package. */
  load(): Promise<WebllmModule>;
  caches: Caches;
  storage?: Storage;
  device(): Promise<Device | null>;
  /** Tokens of texts by a tokenizer.json; null where it is one that cannot be read. */
  counter(tokenizer: string): ((text: string) => number) | null;
  progress?: (stage: Stage, loaded: number, total: number | null) => void;
  /** Calls back when a GPU device goes away, with the browser's words for it. */
  watchLoss?(onLost: (why: string) => void): void;
  /** The engine cannot go on: whoever holds its worker ends it. Told once. */
  onBroken?: (error: CodedError) => void;
  patience?: Partial<Patience>;
}

/** WebLLM's progress runs from 0 to 1 once for each. */
export type Stage = 'download' | 'weights' | 'shaders';

interface Patience {
  /** Without any progress while loading: WebLLM tells of whole shards only, and fetches four at a time. */
  loadMs: number;
  /** Without a token; the first one waits for the whole prompt to be read. */
  tokenMs: number;
}

const PATIENCE: Patience = { loadMs: 300_000, tokenMs: 120_000 };

/**
 * Errors: gpu/unavailable, gpu/feature, gpu/limits, gpu/memory, gpu/lost, model/unknown, model/offline, model/bad-file,
 * model/stalled, model/webllm, storage/quota.
 */
export async function openWebllm(options: WebllmOptions): Promise<LanguageModel> {
  const { name, caches, progress, onBroken } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const broken = new Broken(onBroken);
  options.watchLoss?.((why) =>
    broken.fail(
      new CodedError('gpu/lost', `the GPU device was lost: ${why}`, 'take a smaller model, or close other tabs'),
    ),
  );
  const stalled = (doing: string, ms: number) =>
    new CodedError(
      'model/stalled',
      `WebLLM: nothing came for ${ms / 1000} s while ${doing}`,
      'check the connection, or take a smaller model',
    );
  const waiting = (doing: string, ms: number) => ({ ms, late: () => stalled(doing, ms), broken: broken.promise });

  let entry: Entry | null = null;
  let engine: Engine | null = null;
  const tap = new Tap();
  try {
    const opened = await patiently(
      async (heard) => {
        const module = await options.load();
        heard();
        entry = entryOf(name, module.prebuiltAppConfig.model_list);
        const [obstacle] = obstacles(entry, await options.device());
        if (obstacle)
          throw new CodedError(
            obstacle.code,
            `${entry.model_id}: ${obstacle.says}`,
            'choose a model that this machine can run',
          );
        heard();
        await purge(caches, entry);
        await fetchShardList(caches, entry);
        const here = await sizes(caches, entry);
        await checkRoom(options.storage, here);
        heard();
        engine = new module.MLCEngine({
          appConfig: { model_list: [entry] },
          initProgressCallback: (report) => {
            heard();
            progress?.(...told(report, here.weights));
          },
          logitProcessorRegistry: new Map([[entry.model_id, tap]]),
          logLevel: 'WARN',
        });
        await engine.reload(entry.model_id);
        return { entry, engine, version: module.modelVersion };
      },
      waiting('loading', patience.loadMs),
    );
    const talk: Talk = {
      engine: opened.engine,
      tap,
      answersAtOnce: thinksFirst(opened.entry.model_id),
      awaitNext: (next, ms = patience.tokenMs) => patiently(() => next, waiting('answering', ms)),
    };
    // `reload` resolves also when it was broken off.
    await prove(talk, patience.loadMs);
    return await finish(opened.entry, opened.version, talk, broken, options);
  } catch (error) {
    const fault = faultOf(error);
    // A load that fails may have kept what a host sent in place of a file.
    const [poisoned] = entry && engine ? await purge(caches, entry).catch(() => []) : [];
    if (!poisoned) throw fault;
    throw new CodedError(
      'model/bad-file',
      `${poisoned.url}: ${poisoned.what}`,
      'it was deleted; try again',
      fault.message,
    );
  }
}

async function finish(
  entry: Entry,
  version: string,
  talk: Talk,
  broken: Broken,
  { caches, counter }: WebllmOptions,
): Promise<LanguageModel> {
  const [config, shards, tokenizer] = await Promise.all([
    textOf(caches, entry, 'config'),
    textOf(caches, entry, 'shards'),
    textOf(caches, entry, 'tokenizer'),
  ]);
  // Where it cannot be read: no tokenizer makes more tokens than bytes.
  const count =
    (tokenizer === null ? null : counter(tokenizer)) ?? ((text: string) => new TextEncoder().encode(text).length);
  const id = entry.model_id;
  const close = new AbortController();
  let queue: Promise<unknown> = Promise.resolve();
  return {
    card: {
      id,
      title: id,
      kind: 'webllm',
      // Of the weights WebLLM knows no hash; the list of shards carries their checksums as its makers wrote them.
      hash: hashText(JSON.stringify([version, entry.model_lib, config, shards ?? folderOf(entry)])),
      // The tokenizer's own hash would promise that a prompt's ids can be made again.
      tokenizerHash: hashText(`webllm ${id} ${tokenizer ?? ''}`),
      parameters: parametersOf(id),
      context: contextOf(entry, config),
      layout: 'chat',
      canTrain: false,
      engine: `webllm ${version}, webgpu`,
    },
    complete(requests, signal) {
      const answer = queue.then(async () => {
        const completions = [];
        for (const request of requests) {
          completions.push(
            await generate(talk, request, signal ? AbortSignal.any([signal, close.signal]) : close.signal),
          );
        }
        return completions;
      });
      const told = answer.catch((error: unknown) => {
        const fault = faultOf(error);
        if (isFatal(fault)) broken.fail(fault);
        throw broken.error ?? fault;
      });
      queue = told.catch(() => undefined);
      return told;
    },
    countTokens: async (texts) => texts.map(count),
    // No log's ids are given to it: its prompts have none.
    pieces: async (sequences) => sequences.map((ids) => ids.map(() => '')),
    async close() {
      broken.close();
      close.abort();
      await queue;
      await talk.engine.unload();
    },
  };
}

/** One token, really computed. */
async function prove(talk: Talk, ms: number): Promise<void> {
  const patient: Talk = { ...talk, awaitNext: (next) => talk.awaitNext(next, ms) };
  const { ids } = await generate(patient, {
    parts: [{ role: 'user', text: 'Hi', plain: 'Hi' }],
    adapter: null,
    sampling: { temperature: 0, seed: 1, maxTokens: 1 },
  });
  if (ids.length === 0)
    throw new CodedError('model/webllm', 'WebLLM: the model was loaded and writes nothing', 'load it again');
}

/** The first fault that nothing can go on after. */
class Broken {
  error: CodedError | null = null;
  private closed = false;
  readonly promise: Promise<never>;
  private reject!: (error: CodedError) => void;
  private readonly onBroken: WebllmOptions['onBroken'];

  constructor(onBroken: WebllmOptions['onBroken']) {
    this.onBroken = onBroken;
    this.promise = new Promise((_, reject) => (this.reject = reject));
    this.promise.catch(() => undefined);
  }

  /** What breaks from here on was meant to. */
  close(): void {
    this.closed = true;
  }

  fail(error: CodedError): void {
    if (this.error || this.closed) return;
    this.error = error;
    this.reject(error);
    this.onBroken?.(error);
  }
}

function told({ progress, text }: Progress, weights: number | null): [Stage, number, number | null] {
  const stage = /^(?:Fetch|Start to fetch)/.test(text) ? 'download' : /shader/i.test(text) ? 'shaders' : 'weights';
  const total = stage === 'shaders' ? 1 : weights;
  return [stage, total === null ? 0 : Math.round(progress * total), total];
}

/** The catalogue's own window first: it is what the engine makes room for. */
function contextOf(entry: Entry, config: string | null): number {
  const own = entry.overrides?.context_window_size;
  const { context_window_size: by = 0 } =
    config === null ? {} : (JSON.parse(config) as { context_window_size?: number });
  return own ?? (by > 0 ? by : 4096);
}
