import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodedError } from '../../errors.ts';
import type { CompletionRequest, PromptPart } from '../types.ts';
import { openWebllm, type WebllmOptions } from './index.ts';
import { DEVICE, ENTRY, hostOf, mapCaches, named, scriptedModule, THINKER, type Script } from './testing.ts';

const NAME = `webllm:${ENTRY.model_id}`;
const user = (text: string): PromptPart => ({ role: 'user', text, plain: `\nEnv: ${text}\nLLM:` });
const request = (more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  parts: [{ role: 'system', text: 'rules' }, user('state')],
  adapter: null,
  sampling: { temperature: 0.7, seed: 5, maxTokens: 20, stop: ['\n'] },
  ...more,
});
const sampling = (more: Partial<CompletionRequest['sampling']>) =>
  request({ sampling: { ...request().sampling, ...more } });

interface Setup {
  script?: Script;
  host?: Map<string, BodyInit>;
  options?: Partial<WebllmOptions>;
}

function setup({ script = {}, host = hostOf(), options = {} }: Setup = {}) {
  const caches = mapCaches(host);
  const { module, engines } = scriptedModule(script, caches);
  const stages: string[] = [];
  const open = (more: Partial<WebllmOptions> = {}) =>
    openWebllm({
      name: NAME,
      load: async () => module,
      caches,
      device: async () => DEVICE,
      counter: () => (text) => text.split(' ').length,
      progress: (stage, loaded, total) => stages.push(`${stage} ${loaded} of ${total}`),
      ...options,
      ...more,
    });
  return { caches, engines, stages, open };
}
/** Opened; the request that proved the load is forgotten. */
async function opened(given: Setup = {}) {
  const made = setup(given);
  const model = await made.open();
  const engine = made.engines[0]!;
  engine.requests.length = engine.sampled.length = 0;
  return { ...made, model, engine };
}
const coded = (code: string, message?: RegExp) =>
  expect.objectContaining({ code, ...(message ? { message: expect.stringMatching(message) } : {}) });

describe('loading', () => {
  test('tells of each stage, proves itself by a token, and says what it is', async () => {
    const { open, stages, engines } = setup();
    const model = await open();
    expect(stages).toEqual([
      'download 15 of 30',
      'download 30 of 30',
      'weights 15 of 30',
      'weights 30 of 30',
      'shaders 1 of 1',
      'shaders 1 of 1',
    ]);
    expect(engines[0]!.requests).toHaveLength(1);
    expect(model.card).toMatchObject({
      ...{ id: ENTRY.model_id, kind: 'webllm', layout: 'chat', canTrain: false },
      ...{ parameters: 5e8, context: 512, engine: 'webllm v0_2_86/base, webgpu' },
    });
    expect(model.training).toBeUndefined();
    expect(await model.countTokens(['one two', 'one'])).toEqual([2, 1]);
    const other = await setup({ host: hostOf(ENTRY).set(ENTRY.model_lib, '\0asm other') }).open();
    expect(other.card.hash).toBe(model.card.hash);
  });

  test('without a tokenizer that can be read, bytes are counted: no tokenizer makes more', async () => {
    const { open } = setup();
    const model = await open({ counter: () => null });
    expect(await model.countTokens(['ü.'])).toEqual([3]);
  });

  test.each<[string, Setup, string, RegExp?]>([
    ['no WebGPU', { options: { device: async () => null } }, 'gpu/unavailable'],
    ['no f16', { options: { device: async () => ({ ...DEVICE, features: new Set() }) } }, 'gpu/feature', /shader-f16/],
    [
      'small buffers',
      { options: { device: async () => ({ ...DEVICE, limits: { ...DEVICE.limits, maxBufferSize: 1 } }) } },
      'gpu/limits',
    ],
    ['an unknown name', { options: { name: 'webllm:none' } }, 'model/unknown'],
    ['an address without a library', { options: { name: 'webllm:https://host.test/x' } }, 'model/unknown'],
    ['a host that is not there', { host: new Map() }, 'model/offline', /tensor-cache\.json/],
    ['no room', { options: { storage: { estimate: async () => ({ quota: 100, usage: 90 }) } } }, 'storage/quota'],
    ['a string', { script: { reload: () => Promise.reject('Device was lost.') } }, 'gpu/lost'],
    [
      'a full disk',
      { script: { reload: () => Promise.reject(new DOMException('full', 'QuotaExceededError')) } },
      'storage/quota',
    ],
    [
      'an error of its own',
      { script: { reload: () => Promise.reject(named('Odd', 'never seen')) } },
      'model/webllm',
      /never seen/,
    ],
    // An unload in the middle, or an abort: `reload` resolves, and nothing is loaded.
    ['a load that was broken off', { script: { reload: async () => undefined } }, 'model/not-open'],
    [
      'a package that cannot be had',
      { options: { load: () => Promise.reject(new TypeError('Failed to fetch')) } },
      'model/offline',
    ],
  ])('%s is an error with a code', async (_, given, code, message) => {
    await expect(setup(given).open()).rejects.toEqual(coded(code, message));
  });

  test('refuses a model that cannot run before anything is downloaded', async () => {
    const { open, caches, engines } = setup({ options: { device: async () => null } });
    await expect(open()).rejects.toEqual(coded('gpu/unavailable'));
    expect([caches.scopes.size, engines.length]).toEqual([0, 0]);
  });

  test('a page kept in a shard’s place is found by its length, and loaded again', async () => {
    const { open, caches } = setup();
    const cache = await caches.open('webllm/model');
    const shard = `${ENTRY.model}/resolve/main/params_shard_1.bin`;
    await cache.add(`${ENTRY.model}/resolve/main/tensor-cache.json`);
    await cache.put(shard, new Response('<!doctype html>'));
    await open();
    expect((await (await cache.match(shard))!.blob()).size).toBe(10);
  });

  test('what a host sends in a shard’s place is not kept, and is named', async () => {
    const host = hostOf();
    const shard = `${ENTRY.model}/resolve/main/params_shard_2.bin`;
    host.set(shard, '<!doctype html><p>Not here');
    const { open, caches } = setup({ host });
    await expect(open()).rejects.toEqual(coded('model/bad-file', /params_shard_2\.bin: 26 of 20 bytes/));
    expect(await (await caches.open('webllm/model')).match(shard)).toBeUndefined();
    // Fetched again, not read from what was kept.
    host.set(shard, new Uint8Array(20));
    await open();
  });

  describe('with patience', () => {
    beforeEach(() => vi.useFakeTimers());
    afterEach(() => vi.useRealTimers());
    const patience = { loadMs: 1000, tokenMs: 1000 };
    const never = () => new Promise<never>(() => undefined);

    test.each<[string, Setup]>([
      ['the package', { options: { load: never } }],
      ['the GPU', { options: { device: never } }],
      ['the model', { script: { reload: never } }],
      ['the first token', { script: { beforeToken: never } }],
    ])('%s may not be waited for without end', async (_, given) => {
      const broken = vi.fn();
      const loading = setup({ ...given, options: { ...given.options, patience, onBroken: broken } }).open();
      const outcome = expect(loading).rejects.toEqual(coded('model/stalled', /for 1 s while/));
      await vi.advanceTimersByTimeAsync(3000);
      await outcome;
    });

    test('slow is not stalled', async () => {
      const { open } = setup({
        options: { patience },
        script: {
          async reload(engine) {
            for (let i = 0; i < 10; i++) {
              await new Promise((resolve) => setTimeout(resolve, 900));
              engine.report('Fetching param cache', i / 10);
            }
            await engine.load();
          },
        },
      });
      const loading = open();
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await loading).card.id).toBe(ENTRY.model_id);
    });

    test('an answer that stalls ends everything, once', async () => {
      const broken = vi.fn();
      let stall = false;
      const { model } = await opened({
        options: { patience, onBroken: broken },
        script: { beforeToken: () => (stall ? never() : Promise.resolve()) },
      });
      stall = true;
      const outcomes = Promise.allSettled([model.complete([request()]), model.complete([request()])]);
      await vi.advanceTimersByTimeAsync(2000);
      for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'model/stalled' } });
      expect(broken).toHaveBeenCalledOnce();
      await expect(model.complete([request()])).rejects.toEqual(coded('model/stalled'));
    });
  });
});

describe('answering', () => {
  test('speaks in turns; ids, pieces and text belong together; a trailing stop string stays', async () => {
    const { model, engine } = await opened();
    const parts: PromptPart[] = [
      { role: 'system', text: 'rules' },
      user('first'),
      { role: 'assistant', text: 'Answer: UP, Score: 0', ids: [1, 2] },
      user('second'),
    ];
    const [completion] = await model.complete([request({ parts })]);
    expect(engine.requests).toEqual([
      {
        messages: [
          { role: 'system', content: 'rules' },
          { role: 'user', content: 'first' },
          { role: 'assistant', content: 'Answer: UP, Score: 0' },
          { role: 'user', content: 'second' },
        ],
        ...{ stream: true, temperature: 0.7, top_p: 1, seed: 5, max_tokens: 52 },
        ...{ repetition_penalty: 1, frequency_penalty: 0, presence_penalty: 0 },
      },
    ]);
    expect(completion).toMatchObject({
      ...{ text: 'Answer: UP, Score: 1\n', ids: [1, 2, 3, 4], pieces: ['Answer: UP', ', Score:', ' 1', '\n'] },
      ...{ finish: 'stop', promptIds: [], forcedIds: 0, maskedMass: 0 },
    });
    expect(completion!.promptText).toBe(
      '[system]\nrules\n[user]\nfirst\n[assistant]\nAnswer: UP, Score: 0\n[user]\nsecond\n[assistant]\n',
    );
    // Four tokens of logit 2 beside one of 3 and five of 0, whatever the temperature.
    const each = 2 - Math.log(Math.exp(2) + Math.exp(3) + 5);
    expect(completion!.logprob).toBeCloseTo(4 * each, 5);
  });

  test('one at a time, in order, also across calls', async () => {
    const { model, engine } = await opened({ script: { answer: ({ seed }) => [`${seed}`] } });
    const [first, second] = await Promise.all([
      model.complete([sampling({ seed: 1 }), sampling({ seed: 2 })]),
      model.complete([sampling({ seed: 3 })]),
    ]);
    expect([...first, ...second].map(({ text }) => text)).toEqual(['1', '2', '3']);
    expect(engine.requests.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  });

  test('ends by its own token, by length, or at its last token both', async () => {
    const { model } = await opened({ script: { answer: () => ['a', 'b', 'c'] } });
    const finished = async (maxTokens: number) => {
      const [{ text, ids, finish }] = (await model.complete([sampling({ maxTokens })])) as [never];
      return [text, ids, finish];
    };
    expect(await finished(9)).toEqual(['abc', [1, 2, 3, 0], 'stop']);
    expect(await finished(4)).toEqual(['abc', [1, 2, 3, 0], 'stop']);
    expect(await finished(2)).toEqual(['ab', [1, 2], 'length']);
  });

  test('the number is greedy once its label is written', async () => {
    const { model, engine } = await opened();
    await model.complete([sampling({ greedyAfter: 'Score:' })]);
    // The script goes on against the likeliest token, which the mask leaves alone.
    expect(engine.sampled).toEqual(['as written', 'as written', 'masked', 'masked']);
    engine.sampled.length = 0;
    await model.complete([request()]);
    expect(engine.sampled).not.toContain('masked');
  });

  test('a grammar goes along in its notation; a forced beginning is a grammar that knows no other', async () => {
    const { model, engine } = await opened();
    const grammar = 'Answer: (?:UP|DOWN), Score: \\d\\n?';
    const [one] = await model.complete([request({ grammar }), request({ grammar, forced: ' Answer: UP, Score:' })]);
    const [first, second] = engine.requests.map(({ response_format: format }) => format);
    expect(first).toMatchObject({ type: 'grammar', grammar: expect.stringMatching(/^root ::= \[Aa\]/) });
    expect(second).toMatchObject({
      grammar: 'root ::= "Answer\\u003a UP\\u002c Score\\u003a" " " [0-9] [\\u000a]?\n',
    });
    // The mask's share cannot be told from the model's.
    expect(one!.logprob).toBeNull();
  });

  test('what was thought is kept apart, and a line’s end in it ends nothing', async () => {
    const pieces = ['<think>', '\nHm\n', '</think>', '\n\nAnswer: UP', ', Score: 1', '\n', 'more'];
    const { model } = await opened({ script: { answer: () => pieces } });
    const [completion] = await model.complete([request()]);
    expect(completion).toMatchObject({
      ...{ text: 'Answer: UP, Score: 1\n', thought: 'Hm', finish: 'stop', ids: [1, 2, 3, 4, 5, 6] },
      pieces: ['', '', '', 'Answer: UP', ', Score: 1', '\n'],
    });
    const [cut] = await model.complete([sampling({ maxTokens: 2 })]);
    expect(cut).toMatchObject({ text: '', thought: 'Hm', finish: 'length', pieces: ['', ''] });
  });

  test('a model that may think is told to answer; the empty block that WebLLM writes for it is no text', async () => {
    const { model, engine } = await opened({ options: { name: `webllm:${THINKER.model_id}` } });
    const [completion] = await model.complete([sampling({ maxTokens: 4 })]);
    expect(engine.requests[0]!.extra_body).toEqual({ enable_thinking: false });
    expect(completion).toMatchObject({ text: 'Answer: UP, Score: 1\n', finish: 'stop' });
    expect(completion!.pieces.join('')).toBe(completion!.text);
    expect(completion).not.toHaveProperty('thought');
  });

  test('a prompt beyond the context, or an answer that fills it, is a fact and no error', async () => {
    const full = named('ContextWindowSizeExceededError', 'Prompt tokens exceed context window size: 9000');
    let over = false;
    const { model, engine } = await opened({ script: { refuse: () => (over ? full : undefined) } });
    over = true;
    expect(await model.complete([request()])).toMatchObject([{ text: '', ids: [], finish: 'context' }]);
    over = false;
    expect(await model.complete([request()])).toMatchObject([{ finish: 'stop' }]);
    const long = await opened({ script: { answer: () => Array.from({ length: 99 }, () => 'x') } });
    const create = long.engine.chat.completions.create;
    long.engine.chat.completions.create = (asked) => create({ ...asked, max_tokens: 3 });
    expect(await long.model.complete([request()])).toMatchObject([{ text: 'xxx', finish: 'context' }]);
    expect(engine.requests).toHaveLength(2);
  });

  test('an abort ends the answer under way and those that wait; the next call is answered', async () => {
    const abort = new AbortController();
    const { model } = await opened({
      script: {
        answer: () => ['a', 'b', 'c', 'd'],
        beforeToken: async (_, n) => (n === 2 ? abort.abort() : undefined),
      },
    });
    const completions = await model.complete([request(), request()], abort.signal);
    expect(completions).toMatchObject([
      { text: 'abc', finish: 'aborted' },
      { text: '', finish: 'aborted' },
    ]);
    expect(await model.complete([request()])).toMatchObject([{ text: 'abcd', finish: 'stop' }]);
  });

  test('a lost device rejects what is under way at once; the model says so once and stays dead', async () => {
    let lose: (why: string) => void = () => undefined;
    const broken = vi.fn();
    let hang = false;
    const { model } = await opened({
      options: { watchLoss: (onLost) => (lose = onLost), onBroken: broken },
      script: { beforeToken: () => (hang ? new Promise(() => undefined) : Promise.resolve()) },
    });
    hang = true;
    const answer = model.complete([request()]);
    lose('unplugged');
    lose('again');
    await expect(answer).rejects.toEqual(coded('gpu/lost', /unplugged/));
    await expect(model.complete([request()])).rejects.toEqual(coded('gpu/lost'));
    expect(broken.mock.calls).toEqual([[expect.any(CodedError)]]);
  });

  test.each([
    ['a model let go of in the middle', (): Script['beforeToken'] => (engine) => engine.unload(), 'model/not-open'],
    [
      'a string',
      (): Script['beforeToken'] => () => Promise.reject('external Instance has been disposed: device is lost'),
      'gpu/lost',
    ],
  ])('%s is an error with a code', async (_, make, code) => {
    let on = false;
    const fault = make()!;
    const { model } = await opened({ script: { beforeToken: async (...given) => (on ? fault(...given) : undefined) } });
    on = true;
    await expect(model.complete([request()])).rejects.toEqual(coded(code));
  });

  test('a request that cannot be asked breaks nothing', async () => {
    const { model } = await opened();
    await expect(model.complete([request({ grammar: '(?=x)' })])).rejects.toEqual(coded('usage/grammar'));
    await expect(model.complete([sampling({ topK: 4 })])).rejects.toEqual(coded('usage/sampling'));
    expect(await model.complete([request()])).toMatchObject([{ finish: 'stop' }]);
  });

  test('closing ends the answer under way, and a device that goes with it is no loss', async () => {
    let lose: (why: string) => void = () => undefined;
    const broken = vi.fn();
    const { model, engine } = await opened({
      options: { watchLoss: (onLost) => (lose = onLost), onBroken: broken },
      script: { beforeToken: () => new Promise((resolve) => setTimeout(resolve, 1)) },
    });
    const answer = model.complete([request()]);
    await model.close();
    lose('destroyed');
    expect(await answer).toMatchObject([{ finish: 'aborted' }]);
    expect([engine.loaded, broken.mock.calls.length]).toEqual([false, 0]);
  });
});
