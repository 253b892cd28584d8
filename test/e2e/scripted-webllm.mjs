// FOR TESTS: a module in place of WebLLM's package, as its own worker imports it on the built page. Everything around it
// is real: workers, CacheStorage, log. It knows Trust's two words, and takes the turns of the chat into account.

/** The module's text; its files are asked of `host`, which must allow other sites to read them. */
export const scriptedWebllm = (host) => `
const entry = {
  model_id: 'Scripted-0.5B-q4f32_1-MLC',
  model: '${host}/scripted/resolve/main/',
  model_lib: '${host}/scripted.wasm',
  overrides: { context_window_size: 4096 },
};
const limits = {
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 30,
  maxComputeWorkgroupStorageSize: 32768,
  maxStorageBuffersPerShaderStage: 10,
};
Object.defineProperty(navigator, 'gpu', {
  value: { requestAdapter: async () => ({ features: new Set(), limits }) },
  configurable: true,
});

export const modelVersion = 'scripted';
export const prebuiltAppConfig = { model_list: [entry] };

export class MLCEngine {
  constructor({ initProgressCallback, logitProcessorRegistry }) {
    this.tell = initProgressCallback;
    this.tap = logitProcessorRegistry.get(entry.model_id);
    this.chat = { completions: { create: async (request) => this.stream(request) } };
  }
  async reload() {
    const cache = await caches.open('webllm/model');
    await cache.add(entry.model + 'shard.bin');
    for (const text of ['Fetching param cache', 'Loading model from cache', 'Loading GPU shader modules'])
      for (const progress of [0.5, 1]) this.tell({ text, progress, timeElapsed: 1 });
  }
  async unload() {}
  async interruptGenerate() {
    this.interrupted = true;
  }
  async *stream({ messages, seed }) {
    this.interrupted = false;
    const word = (messages.length + seed) % 3 === 0 ? 'CHEAT' : 'COLLABORATE';
    const pieces = ['Answer: ', word, ', Score: ', String(1 + (messages.length % 2)), '\\n', 'never'];
    for (const [id, content] of pieces.entries()) {
      this.tap.processLogits(new Float32Array(8));
      this.tap.processSampledToken(id);
      yield { choices: [{ delta: { content }, finish_reason: null }] };
      if (this.interrupted) break;
    }
    yield { choices: [{ delta: {}, finish_reason: this.interrupted ? 'abort' : 'stop' }] };
  }
}
`;

/** What the host has. */
export const scriptedFiles = {
  '/scripted/resolve/main/tensor-cache.json': JSON.stringify({
    metadata: {},
    records: [{ dataPath: 'shard.bin', nbytes: 4, records: [] }],
  }),
  '/scripted/resolve/main/shard.bin': 'four',
};
