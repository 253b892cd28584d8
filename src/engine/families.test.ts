// The engine against transformers: logits of four families, and every weight's gradient of one. The references are in
// test/fixtures/references/families; its README says why three of them need rotary frequencies in the weights' type.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toF32 } from './model/convert.ts';
import { directoryFiles } from './model/files.node.ts';
import { memoryFile } from './model/files.ts';
import { bf16Bits, bf16Value, f16Bits, f16Value } from './model/half.ts';
import { openModel } from './model/open.ts';
import { readSafetensors } from './model/safetensors.ts';
import { createSession } from './session.ts';
import type { AdamW, Session, TokenScores } from './types.ts';

/** How the next session's rotary frequencies are rounded; null: not at all, as in every use but this test. */
const rotary = vi.hoisted(() => ({ round: null as ((x: number) => number) | null }));

vi.mock('./plan/rope.ts', async (original) => {
  const rope = await original<typeof import('./plan/rope.ts')>();
  const ropeTable: typeof rope.ropeTable = (config, count) => {
    const { round } = rotary;
    if (!round) return rope.ropeTable(config, count);
    const frequencies = rope.inverseFrequencies(config).map(round);
    const half = frequencies.length;
    const table = new Float32Array(count * 2 * half);
    for (let at = 0; at < table.length; at++) {
      const pair = at % half;
      const [cos, sin] = rope.cosSin(Math.fround(Math.floor(at / (2 * half)) * frequencies[pair]!));
      table[at] = at % (2 * half) < half ? cos : sin;
    }
    return table;
  };
  return { ...rope, ropeTable };
});

const toF16 = (x: number): number => f16Value(f16Bits(x));
const toBf16 = (x: number): number => bf16Value(bf16Bits(x));
const families: [name: string, round: ((x: number) => number) | null][] = [
  ['llama-tied-f32', null],
  ['llama3-ropescaling-bf16', toBf16],
  ['qwen2-bias-f16', toF16],
  ['qwen3-headdim-sharded-bf16', toBf16],
];
const optimizer: AdamW = { lr: 0, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, clip: 0 };
/** Logits reach 4; two float32 programs that sum in another order differ by about 4e-6. */
const TOLERANCE = 1.5e-5;

interface Reference {
  ids: number[];
  loss: number;
  /** [48, vocab] */
  logits: Float32Array;
  gradients: Map<string, Float32Array>;
}

async function load(name: string): Promise<{ session: Session; reference: Reference }> {
  const folder = fileURLToPath(new URL(`../../test/fixtures/references/families/${name}`, import.meta.url));
  const { weights } = await openModel(await directoryFiles(folder));
  const session = await createSession(weights, { threads: 1 });
  const json: unknown = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
  const { ids, loss } = v.parse(v.object({ ids: v.array(v.number()), loss: v.number() }), json);
  const file = memoryFile('expected.safetensors', readFileSync(`${folder}/expected.safetensors`));
  const gradients = new Map([...(await readSafetensors(file))].map(([key, tensor]) => [key, toF32(tensor)]));
  const logits = gradients.get('logits') ?? new Float32Array(0);
  gradients.delete('logits');
  return { session, reference: { ids, loss, logits, gradients } };
}

/** Largest absolute difference. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= most)) most = difference; // a NaN stays
  }
  return most;
}

const logSumExp = (row: Float32Array): number => {
  const top = Math.max(...row);
  return top + Math.log(row.reduce((sum, x) => sum + Math.exp(x - top), 0));
};

const meanLoss = ({ logprobs }: TokenScores): number => -logprobs.reduce((sum, x) => sum + x, 0) / logprobs.length;

afterEach(() => {
  rotary.round = null;
});

describe.each(families)('%s', (name, round) => {
  it("gives transformers' logits at each of 48 positions, and its loss", async () => {
    rotary.round = round;
    const { session, reference } = await load(name);
    const { ids, logits, loss } = reference;
    const { vocab } = session.config;
    const row = (t: number) => logits.subarray(t * vocab, (t + 1) * vocab);

    // Each position as the last of a prompt: 48 sequences of different lengths at once.
    const prefixes = ids.map((_, t) => ids.slice(0, t + 1));
    const scores = await session.score(prefixes, { last: true });
    for (const [t, { last }] of scores.entries()) expect(distance(last!, row(t))).toBeLessThan(TOLERANCE);

    const [whole] = await session.score([ids]);
    const sums = ids.map((_, t) => logSumExp(row(t)));
    expect(distance(whole!.logsumexp, sums)).toBeLessThan(TOLERANCE);
    const logprobs = ids.slice(1).map((id, t) => row(t)[id]! - sums[t]!);
    expect(distance(whole!.logprobs, logprobs)).toBeLessThan(TOLERANCE);
    expect(Math.abs(meanLoss(whole!) - loss)).toBeLessThan(1e-5);
    await session.close();
  });

  it('moves by no more than that rounding with its own frequencies', async () => {
    const { session, reference } = await load(name);
    const { ids, logits, loss } = reference;
    const [whole] = await session.score([ids], { last: true });
    expect(distance(whole!.last!, logits.subarray(-session.config.vocab))).toBeLessThan(round ? 0.04 : TOLERANCE);
    expect(Math.abs(meanLoss(whole!) - loss)).toBeLessThan(round ? 2e-3 : 1e-5);
    await session.close();
  });
});

describe('llama-tied-f32', () => {
  it("gives every weight's gradient", async () => {
    const { session, reference } = await load('llama-tied-f32');
    const { ids, loss, gradients } = reference;
    const trainer = session.trainAll(optimizer);
    const got = await trainer.accumulate({ sequences: [ids], weights: [ids.map(() => 1)] });
    expect(Math.abs(got - loss)).toBeLessThan(1e-5);
    const found = await trainer.gradients();
    expect([...found.keys()].map((key) => `grad.${key}`).sort()).toEqual([...gradients.keys()].sort());
    for (const [key, { data }] of found) {
      const expected = gradients.get(`grad.${key}`)!;
      const size = Math.sqrt(expected.reduce((sum, x) => sum + x * x, 0) / expected.length);
      expect(distance(data, expected), key).toBeLessThan(1e-4 * size); // float32's rounding gives about 1e-5
    }
    trainer.dispose();
    await session.close();
  });
});
