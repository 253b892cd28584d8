// WebLLM by a script: an engine that obeys the package's published types and has the manners of 0.2.86 as its source
// shows them, its faults on demand; and a CacheStorage that is a map. For tests.
import type { Caches, Scope } from './cache.ts';
import type { Chunk, Engine, Entry, Processor, Request, WebllmModule } from './api.ts';
import type { Device } from './device.ts';

export const ENTRY: Entry = {
  model_id: 'Tiny-0.5B-q4f16_1-MLC',
  model: 'https://host.test/org/Tiny-0.5B-q4f16_1-MLC',
  model_lib: 'https://libs.test/tiny.wasm',
  vram_required_MB: 500,
  overrides: { context_window_size: 512 },
};
export const THINKER: Entry = { ...ENTRY, model_id: 'Qwen3-0.6B-q4f16_1-MLC' };

const MB = 2 ** 20;
export const DEVICE: Device = {
  features: new Set(['shader-f16']),
  limits: {
    maxStorageBufferBindingSize: 1024 * MB,
    maxBufferSize: 1024 * MB,
    maxComputeWorkgroupStorageSize: 32 * 1024,
    maxStorageBuffersPerShaderStage: 10,
  },
  memoryMb: 8192,
};

/** Files as a good host has them, by address. */
export function hostOf(entry: Entry = ENTRY): Map<string, BodyInit> {
  const at = (name: string) => `${entry.model}/resolve/main/${name}`;
  const records = [1, 2].map((n) => ({ dataPath: `params_shard_${n}.bin`, nbytes: 10 * n }));
  return new Map<string, BodyInit>([
    [at('mlc-chat-config.json'), JSON.stringify({ context_window_size: 2048 })],
    [at('tensor-cache.json'), JSON.stringify({ metadata: {}, records })],
    [at('tokenizer.json'), '{"words":true}'],
    ...records.map(({ dataPath, nbytes }): [string, BodyInit] => [at(dataPath), new Uint8Array(nbytes)]),
    [entry.model_lib, new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])],
  ]);
}

/** Like the platform's: `add` keeps whatever the host sends. */
export function mapCaches(host: ReadonlyMap<string, BodyInit>): Caches & { scopes: Map<string, Map<string, Blob>> } {
  const scopes = new Map<string, Map<string, Blob>>();
  return {
    scopes,
    async open(name) {
      const kept = scopes.get(name) ?? new Map<string, Blob>();
      scopes.set(name, kept);
      return {
        match: async (url) => (kept.has(url) ? new Response(kept.get(url)) : undefined),
        async add(url) {
          if (!host.has(url)) throw new TypeError('Failed to fetch');
          kept.set(url, await new Response(host.get(url)).blob());
        },
        put: async (url, response) => void kept.set(url, await response.blob()),
        delete: async (url) => kept.delete(url),
      } satisfies Scope;
    },
  };
}

export interface Script {
  /** The answer's pieces, one token each; the end token follows, unless `max_tokens` comes first. */
  answer?: (request: Request) => readonly string[];
  /** Instead of loading. */
  reload?: (engine: ScriptedEngine) => Promise<void>;
  /** Before each token. */
  beforeToken?: (engine: ScriptedEngine, n: number) => Promise<void>;
  /** Instead of a stream. */
  refuse?: (request: Request) => unknown;
}

const END = 0;
const block = '<think>\n\n</think>\n\n';

export class ScriptedEngine implements Engine {
  readonly requests: Request[] = [];
  loaded = false;
  private interrupted = false;
  private readonly script: Script;
  private readonly caches: Caches;
  private readonly config: ConstructorParameters<WebllmModule['MLCEngine']>[0];
  readonly chat = { completions: { create: async (request: Request) => this.create(request) } };

  constructor(script: Script, caches: Caches, config: ConstructorParameters<WebllmModule['MLCEngine']>[0]) {
    [this.script, this.caches, this.config] = [script, caches, config];
  }

  async reload(): Promise<void> {
    if (this.script.reload) return this.script.reload(this);
    await this.load();
  }

  /** Takes all files through the cache, as they are; a shard that is too short breaks it. */
  async load(): Promise<void> {
    const [entry] = this.config.appConfig.model_list;
    const at = (name: string) => `${entry!.model}/resolve/main/${name}`;
    const fetched = async (scope: string, url: string) => {
      const cache = await this.caches.open(scope);
      if (!(await cache.match(url))) await cache.add(url);
      return (await cache.match(url))!;
    };
    await (await fetched('webllm/config', at('mlc-chat-config.json'))).json();
    await fetched('webllm/wasm', entry!.model_lib);
    await fetched('webllm/model', at('tokenizer.json'));
    const { records } = (await (await fetched('webllm/model', at('tensor-cache.json'))).json()) as {
      records: { dataPath: string; nbytes: number }[];
    };
    for (const text of ['Fetching param cache', 'Loading model from cache', 'Loading GPU shader modules']) {
      for (const [i, { dataPath, nbytes }] of records.entries()) {
        const response = await fetched('webllm/model', at(dataPath));
        const { size } = await response.blob();
        if (size !== nbytes) throw new RangeError('offset is out of bounds');
        this.report(text, (i + 1) / records.length);
      }
    }
    this.loaded = true;
  }

  report(text: string, progress: number): void {
    this.config.initProgressCallback({ text: `${text}[1/2]`, progress, timeElapsed: 1 });
  }

  async unload(): Promise<void> {
    this.loaded = false;
    this.interrupted = true;
  }

  async interruptGenerate(): Promise<void> {
    this.interrupted = true;
  }

  private create(request: Request): AsyncIterable<Chunk> {
    if (!this.loaded)
      throw named('ModelNotLoadedError', 'Model not loaded before trying to complete ChatCompletionRequest');
    this.requests.push(request);
    const refusal = this.script.refuse?.(request);
    if (refusal !== undefined) throw refusal;
    return this.stream(request);
  }

  private async *stream(request: Request): AsyncGenerator<Chunk> {
    const [entry] = this.config.appConfig.model_list;
    const tap: Processor = this.config.logitProcessorRegistry.get(entry!.model_id)!;
    // A new request forgets an interrupt of the one before.
    this.interrupted = false;
    tap.resetState();
    const head = request.extra_body?.enable_thinking === false ? block : '';
    const pieces = this.script.answer?.(request) ?? ['Answer: UP', ', Score:', ' 1', '\n'];
    let reason: 'stop' | 'length' | 'abort' | null = null;
    for (let n = 0; reason === null; n++) {
      if (n > 0 && this.interrupted) {
        reason = 'abort';
        break;
      }
      await this.script.beforeToken?.(this, n);
      const token = n < pieces.length ? n + 1 : END;
      // Two likely tokens and one unlikely: the script's, its rival, any other.
      const logits = new Float32Array(pieces.length + 3);
      logits[token] = 2;
      logits[pieces.length + 1] = 3;
      const seen = tap.processLogits(logits);
      this.sampled.push(seen[token]! > 0 ? 'as written' : 'masked');
      tap.processSampledToken(token);
      if (token === END) reason = 'stop';
      else if (n + 1 + (head ? 4 : 0) >= request.max_tokens!) reason = 'length';
      yield chunk({ content: (n === 0 ? head : '') + (pieces[n] ?? '') });
    }
    yield chunk({}, reason);
  }

  /** What each token's probability was after the processor had its say. */
  readonly sampled: string[] = [];
}

const chunk = (delta: { content?: string }, finish_reason: 'stop' | 'length' | 'abort' | null = null): Chunk => ({
  id: 'x',
  choices: [{ delta: { ...delta, role: 'assistant' }, finish_reason, index: 0 }],
  created: 0,
  model: ENTRY.model_id,
  object: 'chat.completion.chunk',
});

export function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

export interface Scripted {
  module: WebllmModule;
  engines: ScriptedEngine[];
}

export function scriptedModule(script: Script, caches: Caches, entries: Entry[] = [ENTRY, THINKER]): Scripted {
  const engines: ScriptedEngine[] = [];
  class Made extends ScriptedEngine {
    constructor(config: ConstructorParameters<WebllmModule['MLCEngine']>[0]) {
      super(script, caches, config);
      engines.push(this);
    }
  }
  return {
    engines,
    module: { MLCEngine: Made, prebuiltAppConfig: { model_list: entries }, modelVersion: 'v0_2_86/base' },
  };
}
