// SmolLM2-135M-Instruct out of its GGUF file against transformers, PEFT and llama.cpp (../shared/references/README.md).
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, shared } from '../../test/shared.ts';
import { toF32 } from './model/convert.ts';
import { directoryFiles, nodeFile } from './model/files.node.ts';
import { modelFiles } from './model/files.ts';
import { openModel, type OpenedModel } from './model/open.ts';
import { openAdapter } from './model/peft.ts';
import { readSafetensors } from './model/safetensors.ts';
import { createSession } from './session.ts';
import { chatTemplateOf, encodeChat } from './text/chat.ts';
import { TextTokenizer } from './text/tokenizer.ts';
import { CpuSession } from './cpu/session.ts';
import { adam } from './cpu/testing.ts';
import { freshAdapter } from './model/adapter.ts';
import { type AdamW, LORA_TARGETS, type Session } from './types.ts';

const MODEL = 'models/SmolLM2-135M-Instruct.Q4_1.gguf';
const REFERENCES = 'references/smollm2';
const MINUTES = 60_000;

const numbers = v.array(v.number());
const Tokens = v.array(v.object({ text: v.string(), ids: numbers }));
const Prompts = v.record(
  v.string(),
  v.object({
    messages: v.array(v.object({ role: v.string(), content: v.string() })),
    ...{ rendered: v.string(), ids: numbers, logsumexp: numbers, nextTokenLogprob: numbers },
    ...{ greedy: numbers, greedyMargin: numbers, greedyText: v.string() },
  }),
);
const Step = v.object({
  ...{ lr: v.number(), steps: v.number(), sequences: v.array(numbers), weights: v.array(numbers), loss: numbers },
  gradientNorm0: v.number(),
});

const json = <const S extends v.GenericSchema>(schema: S, name: string): v.InferOutput<S> =>
  v.parse(schema, JSON.parse(readFileSync(shared(`${REFERENCES}/${name}`), 'utf8')));

async function tensors(name: string): Promise<Map<string, Float32Array>> {
  const all = await readSafetensors(await nodeFile(shared(`${REFERENCES}/${name}`), name));
  return new Map([...all].map(([key, tensor]) => [key, toF32(tensor)]));
}

/** Largest absolute difference. */
function distance(found: ArrayLike<number>, right: ArrayLike<number>): number {
  expect(found.length).toBe(right.length);
  let most = 0;
  for (let i = 0; i < right.length; i++) {
    const difference = Math.abs(found[i]! - right[i]!);
    if (!(difference <= most)) most = difference; // a NaN stays
  }
  return most;
}

const norm = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
const relative = (found: Float32Array, right: Float32Array): number =>
  norm(found.map((x, i) => x - right[i]!)) / norm(right);

describeWith([MODEL, REFERENCES], 'SmolLM2-135M-Instruct, Q4_1', () => {
  let opened: OpenedModel;
  let tokenizer: TextTokenizer;
  let session: Session;
  let prompts: v.InferOutput<typeof Prompts>;

  beforeAll(async () => {
    opened = await openModel(modelFiles([await nodeFile(shared(MODEL), 'model.gguf')]));
    tokenizer = new TextTokenizer(opened.texts.tokenizer!, opened.texts.tokenizerConfig);
    session = await createSession(opened.weights, { threads: 2 });
    prompts = json(Prompts, 'prompts.json');
  }, 5 * MINUTES);
  afterAll(() => session?.close());

  it('gives the ids of llama.cpp and Hugging Face for every string', () => {
    const strings = json(Tokens, 'tokens.json');
    expect(strings.length).toBe(64);
    for (const { text, ids } of strings) {
      // Both read `<|im_end|>` in a text as the control token, as we do only in text that is trusted.
      expect(tokenizer.encodeTrusted(text), JSON.stringify(text)).toEqual(ids);
      if (!ids.some((id) => tokenizer.controlIds.has(id))) expect(tokenizer.encode(text)).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(text);
    }
  });

  it('renders chats as its own template does', () => {
    const template = chatTemplateOf(opened.texts)!;
    expect(Object.keys(prompts).length).toBe(4);
    for (const { messages, rendered, ids } of Object.values(prompts)) {
      expect(encodeChat(tokenizer, template, messages)).toEqual({ rendered, ids });
    }
  });

  it(
    'gives the log-probabilities at every position and all logits at the last',
    async () => {
      const last = await tensors('last-logits.safetensors');
      const all = Object.entries(prompts);
      const scores = await session.score(
        all.map(([, { ids }]) => ids),
        { last: true },
      );
      for (const [i, [name, prompt]] of all.entries()) {
        const { logsumexp, logprobs, last: found } = scores[i]!;
        expect(distance(logsumexp, prompt.logsumexp), name).toBeLessThan(0.01);
        expect(distance(logprobs, prompt.nextTokenLogprob), name).toBeLessThan(0.01);
        const difference = distance(found!, last.get(name)!);
        console.log(`${name}: last logits differ by ${difference.toExponential(1)} at most`);
        expect(difference, name).toBeLessThan(0.01);
      }
    },
    10 * MINUTES,
  );

  it(
    'continues as the reference does wherever that is sure by more than 0.02',
    async () => {
      // Each token after the reference's own beginning, so that one close call does not hide what follows it.
      const cases = Object.values(prompts).flatMap(({ ids, greedy, greedyMargin }) =>
        greedy.map((id, i) => ({ ids: [...ids, ...greedy.slice(0, i)], id, margin: greedyMargin[i]! })),
      );
      const sampling = { temperature: 0, seed: 1, maxTokens: 1 };
      const sure = cases.filter(({ margin }) => margin > 0.02);
      const outs = await session.generate(sure.map(({ ids }) => ({ ids, sampling })));
      expect(outs.map(({ ids }) => ids[0])).toEqual(sure.map(({ id }) => id));

      // And left to itself: equal up to the first close call that falls the other way, if any does.
      const free = await session.generate(
        Object.values(prompts).map(({ ids }) => ({ ids, sampling: { ...sampling, maxTokens: 40 } })),
      );
      for (const [i, { greedy, greedyMargin, greedyText }] of Object.values(prompts).entries()) {
        const { ids } = free[i]!;
        const differs = greedy.findIndex((id, t) => ids[t] !== id);
        if (differs >= 0) expect(greedyMargin[differs]).toBeLessThan(0.02);
        else expect(tokenizer.decode(ids)).toBe(greedyText);
      }
    },
    20 * MINUTES,
  );

  it(
    'one thread gives the bytes of two',
    async () => {
      const { ids } = prompts['default-system']!;
      const alone = await createSession(opened.weights, { threads: 1 });
      const requests = [{ ids, sampling: { temperature: 1, seed: 5, maxTokens: 8 } }];
      const [a, b] = [await alone.generate(requests), await session.generate(requests)];
      expect([alone.threads, session.threads]).toEqual([1, 2]);
      expect(a[0]!.logprobs).toEqual(b[0]!.logprobs);
      expect(a[0]!.ids).toEqual(b[0]!.ids);
      await alone.close();
    },
    10 * MINUTES,
  );

  it(
    'a training step of 1,024 tokens stays within 1.2 GB',
    async () => {
      const roomy = await CpuSession.create(opened.weights, { threads: 2 });
      const lora = { rank: 8, alpha: 16, targets: LORA_TARGETS };
      const said = roomy.trainingMemory(1024, lora);
      const adapter = freshAdapter(roomy.config, lora, 1);
      const trainer = roomy.trainAdapter(adapter, { ...adam, lr: 1e-3 });
      const ids = Array.from({ length: 1025 }, (_, i) => ((i * 7919) % 49000) + 17);
      const { tokens } = await trainer.step({ sequences: [ids], weights: [ids.map((_, i) => (i % 4 === 0 ? 1 : 0))] });
      expect(tokens).toBe(1024);
      const { peak } = roomy.memory();
      console.log(`${Math.round(peak / 1e6)} MB of tensors at most; said before: ${JSON.stringify(said)}`);
      // The process has some 150 MB beside its tensors.
      expect(peak).toBeLessThan(1.05e9);
      expect(said.recomputed).toBe(0);
      trainer.dispose();
      await roomy.close();
    },
    10 * MINUTES,
  );

  it(
    'trains an adapter as PEFT does: loss of ten steps, gradients, logits afterwards',
    async () => {
      const step = json(Step, 'lora/step.json');
      const { config } = session;
      const base = await session.baseHash();
      const folder = async (name: string) =>
        openAdapter(await directoryFiles(shared(`${REFERENCES}/lora/${name}`)), config);
      const optimizer: AdamW = { lr: step.lr, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };
      const trainer = session.trainAdapter(await folder('adapter-0'), optimizer);
      // By the reference's definition: the sum of all weights, some of which are negative.
      const normalizer = step.weights.flatMap((weights) => weights.slice(1)).reduce((a, b) => a + b);
      const batch = { sequences: step.sequences, weights: step.weights, normalizer };
      const loss: number[] = [];
      for (let i = 0; i < step.steps; i++) {
        const result = await trainer.step(batch);
        loss.push(result.loss);
        if (i > 0) continue;
        expect(Math.abs(result.gradNorm / step.gradientNorm0 - 1)).toBeLessThan(1e-3);
        const right = await tensors('lora/gradients-0.safetensors');
        const found = await trainer.gradients();
        expect(found.size).toBe(right.size);
        let most = 0;
        for (const [name, { data }] of found) {
          const expected = right.get(name.replace(/^base_model\.model\./, ''))!;
          // lora_A's gradient is zero while lora_B is.
          const error = norm(expected) === 0 ? norm(data) : relative(data, expected);
          most = Math.max(most, error);
          expect(error, name).toBeLessThan(1e-3);
        }
        console.log(`gradients differ by ${most.toExponential(1)} of their norm at most`);
      }
      console.log('loss', loss.map((x) => x.toFixed(6)).join(' '), 'for', step.loss.join(' '));
      for (const [i, right] of step.loss.entries()) {
        expect(Math.abs(loss[i]! - right), `step ${i}`).toBeLessThan(1e-3 * Math.abs(right));
      }
      const trained = await trainer.adapter();
      expect(relative(trained.data, (await folder('adapter-10')).data)).toBeLessThan(1e-3);
      const [after] = await session.score([prompts['trust']!.ids], { adapter: trained, last: true });
      expect(distance(after!.last!, (await tensors('lora/last-logits-after.safetensors')).get('trust')!)).toBeLessThan(
        0.01,
      );
      expect(await session.baseHash()).toBe(base);
      trainer.dispose();
    },
    60 * MINUTES,
  );
});
