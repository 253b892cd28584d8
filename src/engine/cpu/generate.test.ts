// Generation: the same tokens whatever the batch, the cache and the number of threads; sampling; ends and errors.
import { afterEach, describe, expect, it } from 'vitest';
import { createSession } from '../session.ts';
import { CpuSession } from './session.ts';
import type { GenerateRequest, ModelConfig, ModelWeights, Sampling, Session } from '../types.ts';
import { adapterFor, decoding, idsFor, lora4, stopping, tiny, weightsFor } from './testing.ts';

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
async function session(config: ModelConfig | ModelWeights = tiny, options = {}): Promise<Session> {
  const weights = 'tensors' in config ? config : weightsFor(config);
  const made = await createSession(weights, { threads: 1, ...options });
  open.push(made);
  return made;
}
const sampling = (seed: number, more: Partial<Sampling> = {}): Sampling => ({
  ...{ temperature: 0.9, topK: 20, topP: 0.95, seed, maxTokens: 24, ...more },
});
const request = (length: number, seed: number, more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  ...{ ids: idsFor(tiny, length, seed), sampling: sampling(seed), ...more },
});
const many = (): GenerateRequest[] => [
  ...[1, 40, 33, 7, 64, 18].map((length, i) => request(length, i)),
  request(20, 9, { adapter: adapterFor(tiny, lora4) }),
  request(9, 10, { adapter: adapterFor(tiny, lora4, 5) }),
];

describe('a sequence depends on itself alone', () => {
  it('batch mates, threads and adapters of others do not change tokens or log-probabilities', async () => {
    const together = await (await session()).generate(many());
    const threads = await (await session(tiny, { threads: 2 })).generate(many().reverse());
    expect(threads.reverse()).toEqual(together);
    for (const [i, one] of many().entries()) {
      expect(await (await session()).generate([one]).then((out) => out[0])).toEqual(together[i]);
    }
    expect(new Set(together.map(({ ids }) => ids.join())).size).toBe(together.length);
  });

  it('fused multiply-adds: the same with any number of threads and batch mates, close to the plain ones', async () => {
    const open = async (options: object) => {
      const made = await CpuSession.create(weightsFor(tiny), { threads: 1, ...options });
      sessions.push(made);
      return made;
    };
    const sessions: CpuSession[] = [];
    const fused = await open({ fused: true });
    const plain = await open({ fused: false });
    expect([fused.executor.fused, plain.executor.fused]).toEqual([true, false]); // Node and every processor here can
    const together = await fused.generate(many());
    const threads = await (await open({ fused: true, threads: 2 })).generate(many().reverse());
    expect(threads.reverse()).toEqual(together);
    const ids = idsFor(tiny, 60, 1);
    const [[a], [b]] = await Promise.all([fused.score([ids]), plain.score([ids])]);
    expect(a!.logprobs).not.toEqual(b!.logprobs);
    a!.logprobs.forEach((value, t) => expect(Math.abs(value - b!.logprobs[t]!)).toBeLessThan(1e-4));
    for (const one of sessions) await one.close();
  });

  it('a remembered beginning changes nothing but the work', async () => {
    const warm = await session();
    const first = await warm.generate(many());
    const longer = many().map((old, i) => ({
      ...old,
      ids: [...Array.from(old.ids), ...first[i]!.ids, ...idsFor(tiny, 11, 100 + i)],
    }));
    const cached = await warm.generate(longer);
    const cold = await (await session()).generate(longer);
    expect(cached.map(({ cachedTokens }) => cachedTokens)).toEqual(many().map(({ ids }) => ids.length + 23));
    expect(cached.map((out) => ({ ...out, cachedTokens: 0 }))).toEqual(
      cold.map((out) => ({ ...out, cachedTokens: 0 })),
    );
  });

  it('a beginning is only shared under the same adapter', async () => {
    const s = await session();
    const ids = idsFor(tiny, 50, 3);
    await s.generate([{ ids, sampling: sampling(1) }]);
    const [other] = await s.generate([{ ids, sampling: sampling(1), adapter: adapterFor(tiny, lora4) }]);
    expect(other!.cachedTokens).toBe(0);
  });

  it('prompts that begin alike share the work within a batch', async () => {
    const start = idsFor(tiny, 70, 1);
    const requests = [1, 2, 3].map((seed) => ({ ids: [...start, seed], sampling: sampling(seed) }));
    const together = await (await session()).generate(requests);
    expect(together.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 64, 64]);
    for (const [i, one] of requests.entries()) {
      expect((await (await session()).generate([one]))[0]!.ids).toEqual(together[i]!.ids);
    }
  });

  it('a sequence whose leader has already left goes on from what is remembered', async () => {
    const start = idsFor(tiny, 70, 1);
    const requests = Array.from({ length: 30 }, (_, i) => ({
      ...{
        ids: [...start.slice(0, 40 + i), ...idsFor(tiny, 50, i)],
        sampling: sampling(i, { maxTokens: 1 + (i % 3) }),
      },
    }));
    const s = await session();
    const together = await s.generate(requests);
    for (const i of [0, 1, 17, 28, 29]) {
      expect((await (await session()).generate([requests[i]!]))[0]!.logprobs).toEqual(together[i]!.logprobs);
    }
    const { bytes } = s.memory();
    await s.generate(requests);
    expect(s.memory().bytes).toBeLessThan(bytes * 1.5);
  });

  it('more sequences than pages allow wait for each other', async () => {
    const requests = Array.from({ length: 12 }, (_, i) => request(40, i));
    const roomy = await session();
    const cramped = await session(tiny);
    Object.defineProperty((cramped as unknown as { pool: object }).pool, 'limit', { value: 8 });
    expect((await cramped.generate(requests)).map(({ ids }) => ids)).toEqual(
      (await roomy.generate(requests)).map(({ ids }) => ids),
    );
  });
});

describe('several tokens a run', () => {
  /** All that a caller sees of decoding twice, the second time from what the first has left in the cache. */
  async function decoded(passes: number | null) {
    const s = await session(stopping);
    if (passes !== null) Object.defineProperty(s, 'passes', { value: () => passes });
    const tokens = decoding().map((): number[] => []);
    const first = await s.generate(decoding(), { onToken: (index, id) => tokens[index]!.push(id) });
    const longer = decoding().map((old, i) => ({
      ...old,
      ids: [...Array.from(old.ids), ...first[i]!.ids, 1, 2].slice(-100),
    }));
    const { pool } = s as CpuSession;
    return { outs: [...first, ...(await s.generate(longer))], tokens, pages: pool.held };
  }

  it('are those of one token a run: ends, log-probabilities, remembered pages', async () => {
    const one = await decoded(null);
    expect(new Set(one.outs.map(({ finish }) => finish))).toEqual(new Set(['stop', 'length', 'context']));
    const lengths = one.outs.map(({ ids }) => ids.length % 4);
    expect(new Set(lengths).size).toBe(4); // ends at every place of a block
    for (const passes of [2, 4, 8]) expect(await decoded(passes), `${passes}`).toEqual(one);
  });

  it('end with a signal between runs, with what was decoded so far', async () => {
    const s = await session();
    Object.defineProperty(s, 'passes', { value: () => 4 });
    const abort = new AbortController();
    const onToken = () => abort.abort();
    const [out] = await s.generate([request(20, 1)], { signal: abort.signal, onToken });
    expect(out!.finish).toBe('aborted');
    expect(out!.ids).toEqual((await (await session()).generate([request(20, 1)]))[0]!.ids.slice(0, out!.ids.length));
  });
});

describe('log-probabilities', () => {
  it('are those of scoring the finished sequence', async () => {
    const s = await session();
    const requests = many();
    const outs = await s.generate(requests);
    for (const [i, out] of outs.entries()) {
      const ids = [...Array.from(requests[i]!.ids), ...out.ids];
      const [scores] = await s.score([ids], { adapter: requests[i]!.adapter ?? null });
      const tail = Array.from(scores!.logprobs.subarray(-out.ids.length));
      tail.forEach((p, t) => expect(Math.abs(p - out.logprobs[t]!)).toBeLessThan(2e-6));
    }
  });

  it('scoring gives all logits at the end, and the same in any batch', async () => {
    const s = await session();
    const sequences = [3, 50, 31].map((length) => idsFor(tiny, length, length));
    const together = await s.score(sequences, { last: true });
    for (const [i, ids] of sequences.entries()) expect((await s.score([ids], { last: true }))[0]).toEqual(together[i]);
    const { last, logsumexp } = together[1]!;
    const lse = Math.log(last!.reduce((sum, z) => sum + Math.exp(z), 0));
    expect(last!.length).toBe(tiny.vocab);
    expect(Math.abs(lse - logsumexp[49]!)).toBeLessThan(1e-5);
  });
});

describe('sampling', () => {
  it('follows the distribution of the logits', async () => {
    const s = await session();
    const ids = idsFor(tiny, 5, 1);
    const last = (await s.score([ids], { last: true }))[0]!.last!;
    const draws = 4000;
    const one = (seed: number) => ({ ids, sampling: { temperature: 1.5, seed, maxTokens: 1 } });
    const outs = await s.generate(Array.from({ length: draws }, (_, seed) => one(seed)));
    const counts = new Float64Array(tiny.vocab);
    for (const out of outs) counts[out.ids[0]!]!++;
    const e = Array.from(last, (z) => Math.exp(z / 1.5));
    const total = e.reduce((a, b) => a + b);
    const chi = e.reduce((sum, x, i) => sum + (counts[i]! - (draws * x) / total) ** 2 / ((draws * x) / total), 0);
    expect(chi).toBeLessThan(100); // 52 degrees of freedom; 99.99 % lie below 100
  });

  it('top-k, top-p and masks keep to their sets', async () => {
    const s = await session();
    const ids = idsFor(tiny, 5, 1);
    const last = (await s.score([ids], { last: true }))[0]!.last!;
    const order = Array.from(last.keys()).sort((a, b) => last[b]! - last[a]!);
    const seen = async (more: Partial<Sampling>, mask?: GenerateRequest['mask']) => {
      const requests = Array.from({ length: 300 }, (_, seed) => ({
        ...{ ids, sampling: { temperature: 1, seed, maxTokens: 1, ...more }, ...(mask ? { mask } : {}) },
      }));
      const outs = await s.generate(requests);
      return { ids: [...new Set(outs.map((out) => out.ids[0]!))].sort((a, b) => a - b), outs };
    };
    const sorted = (list: number[]) => [...list].sort((a, b) => a - b);
    expect((await seen({ topK: 3 })).ids).toEqual(sorted(order.slice(0, 3)));
    const e = order.map((i) => Math.exp(last[i]!));
    const total = e.reduce((a, b) => a + b);
    let [kept, mass] = [0, 0];
    while (mass < 0.4 * total) mass += e[kept++]!;
    const nucleus = await seen({ topP: 0.4 });
    expect(nucleus.ids.every((id) => order.slice(0, kept).includes(id))).toBe(true);
    const mask = Uint8Array.from({ length: tiny.vocab }, (_, i) => (i === order[4] || i === order[9] ? 1 : 0));
    const masked = await seen({}, () => mask);
    expect(masked.ids).toEqual(sorted([order[4]!, order[9]!]));
    expect(masked.outs[0]!.maskedMass[0]).toBeCloseTo(1 - (e[4]! + e[9]!) / total, 5);
    const greedy = await seen({ temperature: 0 }, () => mask);
    expect(greedy.ids).toEqual([order[4]]);
    await expect(s.generate([{ ids, sampling: sampling(1), mask: () => new Uint8Array(tiny.vocab) }])).rejects.toThrow(
      'no token',
    );
  });
});

describe('ends', () => {
  const tokenText = (id: number) => String.fromCharCode(97 + (id % 26));

  it('at maxTokens, at the context, at a stop string, at an end token', async () => {
    const s = await session();
    const [plain] = await s.generate([request(10, 4)]);
    expect([plain!.finish, plain!.ids.length]).toEqual(['length', 24]);
    const [full] = await s.generate([request(120, 4)]);
    expect([full!.finish, full!.ids.length]).toEqual(['context', 8]);
    const text = plain!.ids.map(tokenText).join('');
    const stop = text.slice(5, 8);
    const [stopped] = await s.generate([request(10, 4, { sampling: sampling(4, { stop: [stop] }), tokenText })]);
    expect(stopped!.finish).toBe('stop');
    expect(stopped!.ids).toEqual(plain!.ids.slice(0, text.indexOf(stop) + 3));
    const ending = await session({ ...tiny, eos: [plain!.ids[3]!] });
    const [ended] = await ending.generate([request(10, 4)]);
    expect([ended!.finish, ended!.ids]).toEqual(['stop', plain!.ids.slice(0, plain!.ids.indexOf(plain!.ids[3]!) + 1)]);
    await expect(s.generate([request(129, 1)])).rejects.toMatchObject({ code: 'model/context' });
    await expect(s.generate([{ ids: [53], sampling: sampling(1) }])).rejects.toMatchObject({ code: 'model/token' });
  });

  it('greedyAfter makes the rest greedy', async () => {
    const s = await session();
    const prompt = request(10, 4);
    const [plain] = await s.generate([prompt]);
    const marker = plain!.ids.slice(0, 6).map(tokenText).join('');
    const [mixed] = await s.generate([{ ...prompt, sampling: sampling(4, { greedyAfter: marker }), tokenText }]);
    const ids = [...Array.from(prompt.ids), ...plain!.ids.slice(0, 6)];
    const [greedy] = await s.generate([{ ids, sampling: sampling(99, { temperature: 0, maxTokens: 18 }) }]);
    expect(mixed!.ids).toEqual([...plain!.ids.slice(0, 6), ...greedy!.ids]);
  });

  it('an abort signal ends all, with what there is so far', async () => {
    const s = await session();
    const controller = new AbortController();
    let seen = 0;
    const onToken = () => {
      if (++seen === 5) controller.abort();
    };
    const outs = await s.generate([request(10, 1), request(10, 2)], { signal: controller.signal, onToken });
    expect(outs.map(({ finish, ids }) => [finish, ids.length])).toEqual([
      ['aborted', 3],
      ['aborted', 3],
    ]);
    expect((await s.generate([request(10, 1)]))[0]!.finish).toBe('length');
  });
});

describe('damage', () => {
  it('a NaN among the logits is an error, never a token, and leaves the session usable', async () => {
    const s = await session();
    const bad = adapterFor(tiny, lora4);
    bad.data[bad.data.length - 1] = NaN;
    await expect(s.generate([request(10, 1), request(40, 2, { adapter: bad })])).rejects.toMatchObject({
      code: 'model/nan',
    });
    await expect(s.score([[1, 2, 3]], { adapter: bad })).rejects.toMatchObject({ code: 'model/nan' });
    const again = await s.generate([request(10, 1)]);
    expect(again).toEqual(await (await session()).generate([request(10, 1)]));
  });
});
