// Each kernel against the CPU's, forward and backward, at sizes that are no multiple of any tile, with guard words
// around every buffer. The CPU's kernels are held to finite differences in cpu/ops.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { padded, panels, random } from '../cpu/ops-testing.ts';
import { blockTensor } from '../cpu/testing.ts';
import { packTensor } from '../host/pack.ts';
import { isBlockType } from '../model/blocks.ts';
import { fromF32 } from '../model/convert.ts';
import { BLOCKS } from '../model/dtype.ts';
import { dtypeCode, pad8, PAGE, panelBytes, UNIT } from '../plan/shape.ts';
import type { DType } from '../types.ts';
import { Pair } from './testing.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await Pair.open();
});
afterAll(() => pair.close());

const TYPES = ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1', 'q4_k', 'q6_k'] as const;

/** Columns that a type's blocks divide. */
const wide = (dtype: DType): number => (BLOCKS[dtype].weights > 32 ? 512 : 96);

/** A random weight's panels in a storage type. */
function weight(dtype: DType, n: number, k: number, seed: number): Int32Array {
  const bytes = new Uint8Array(panelBytes(dtype, n, k));
  if (isBlockType(dtype)) {
    packTensor(blockTensor(dtype, [n, k], seed), bytes);
    return new Int32Array(bytes.buffer);
  }
  const values = random(n * k, seed);
  values[1] = 3e-6; // a binary16 subnormal
  values[k] = -1e-7;
  packTensor(fromF32(values, dtype, [n, k]), bytes);
  return new Int32Array(bytes.buffer);
}
/** The kernels for GPUs, and those for adapters that compute on the processor. */
const KINDS = [
  ['for GPUs', 'gpu'],
  ['for software', 'software'],
] as const;

const integers = (...values: number[]) => Int32Array.from(values);

describe('rows', () => {
  it.each(TYPES)('embed: %s', async (type) => {
    const [n, k, ids] = [13, wide(type), integers(12, 0, 7, 7, 3)];
    const inputs = { table: weight(type, n, k, 1), ids };
    await pair.agree({ inputs, outputs: { out: ids.length * k }, apart: ['table'], tolerance: 0 }, (b, s) =>
      b.op('embed', { out: s('out'), table: s('table'), ids: s('ids'), dtype: dtypeCode(type), rows: ids.length, k }),
    );
  });

  it.each(['f32', 'q8_0'] as const)('embed: %s in two buffers', async (type) => {
    const [n, k, ids] = [29, wide(type), integers(28, 0, 15, 16, 3)];
    const inputs = { table: weight(type, n, k, 1), ids };
    const test = { inputs, outputs: { out: ids.length * k }, split: { name: 'table', rows: pad8(n), at: 16 } };
    await pair.agree({ ...test, tolerance: 0 }, (b, s) =>
      b.op('embed', { out: s('out'), table: s('table'), ids: s('ids'), dtype: dtypeCode(type), rows: ids.length, k }),
    );
  });

  it('embedGrad adds rows with repeated ids in order', async () => {
    const [n, k, ids] = [11, 72, integers(3, 0, 10, 3, 3)];
    const inputs = { table: panels(random(n * k, 1), n, k), dx: random(ids.length * k, 2), ids };
    await pair.agree({ inputs, outputs: {}, changes: ['table'], apart: ['table'], tolerance: 0 }, (b, s) =>
      b.op('embedGrad', { table: s('table'), dx: s('dx'), ids: s('ids'), rows: ids.length, k }),
    );
  });

  it('moveRows gathers and scatters; zero', async () => {
    const [rows, width, index] = [5, 72, integers(6, 0, 3, 2, 5)]; // more than one workgroup
    const inputs = { x: random(7 * width, 1), y: random(7 * width, 2), index };
    const test = { inputs, outputs: { out: rows * width, none: 300 }, changes: ['y'], tolerance: 0 };
    await pair.agree(test, (b, s) => {
      b.op('moveRows', { out: s('out'), x: s('x'), index: s('index'), rows, width, scatter: 0 });
      b.op('moveRows', { out: s('y'), x: s('out'), index: s('index'), rows, width, scatter: 1 });
      b.op('zero', { out: s('none'), words: 300 });
    });
  });

  it('more than 32,768 workgroups go on in a second dimension', async () => {
    const words = 256 * 32_768 + 40;
    const found = await pair.agree({ inputs: {}, outputs: { none: words }, tolerance: 0 }, (b, s) =>
      b.op('zero', { out: s('none'), words }),
    );
    expect(found.get('none')!.length).toBe(words);
  });
});

describe.each(KINDS)('norms, %s', (_, kind) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await Pair.open(kind);
  });
  afterAll(() => pair.close());

  it.each([
    [5, 13],
    [3, 200],
  ])('rmsNorm and its gradients: %i rows of %i', async (rows, width) => {
    const ld = pad8(width);
    const inputs = {
      ...{ x: padded(random(rows * width, 1), width), w: padded(random(width, 2), width), dw: random(ld, 4) },
      ...{ dy: padded(random(rows * width, 3), width), more: padded(random(rows * width, 5), width) },
    };
    const outputs = { out: rows * ld, keep: rows, dx: rows * ld };
    const numbers = { rows, width, ld };
    await pair.agree({ inputs, outputs, changes: ['more', 'dw'], apart: ['w', 'dw'] }, (b, s) => {
      b.op('rmsNorm', { out: s('out'), keep: s('keep'), x: s('x'), w: s('w'), ...numbers, eps: 1e-3 });
      const grad = { dy: s('dy'), x: s('x'), w: s('w'), keep: s('keep'), ...numbers };
      b.op('rmsNormGrad', { dx: s('dx'), ...grad, add: 0 });
      b.op('rmsNormGrad', { dx: s('more'), ...grad, add: 1 });
      b.op('columnSum', { dw: s('dw'), dy: s('dy'), x: s('x'), keep: s('keep'), rows, ld });
    });
  });

  it('columnSum of a bias, and a norm that keeps nothing', async () => {
    const [rows, ld] = [9, 72];
    const inputs = { x: random(rows * ld, 1), w: random(ld, 2), dw: random(ld, 3) };
    await pair.agree({ inputs, outputs: { out: rows * ld }, changes: ['dw'], apart: ['dw'] }, (b, s) => {
      b.op('rmsNorm', { out: s('out'), keep: null, x: s('x'), w: s('w'), rows, width: ld, ld, eps: 1e-5 });
      b.op('columnSum', { dw: s('dw'), dy: s('x'), x: null, keep: null, rows, ld });
    });
  });
});

describe.each(KINDS)('linear, %s', (_, kind) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await Pair.open(kind);
  });
  afterAll(() => pair.close());

  const [n, rank, ldo, ldt] = [72, 24, 80, 32];
  const lora = (rows: number, k: number, ldx: number) => ({
    ...{ t: random(rows * ldt, 4), b: panels(random(n * rank, 5), n, rank), a: panels(random(rank * k, 6), rank, k) },
    ...{ x: random(rows * ldx, 1), init: random(rows * ldo, 3), dx: random(rows * ldx, 7) },
  });
  const apart = ['w', 'b', 'a', 'bias'];

  // Few rows, one tile of rows, three.
  const cases = TYPES.flatMap((type) => (type === 'f32' ? [3, 21, 70] : [3, 21]).map((rows) => [type, rows] as const));
  it.each(cases)('%s, %i rows: residual and LoRA pair, and the gradient of the input', async (type, rows) => {
    const [dtype, k] = [dtypeCode(type), wide(type)];
    const ldx = k + 8;
    const inputs = { ...lora(rows, k, ldx), w: weight(type, n, k, 2) };
    await pair.agree({ inputs, outputs: { out: rows * n }, changes: ['dx'], apart }, (b, s) => {
      const forward = { out: s('out'), x: s('x'), w: s('w'), init: s('init'), t: s('t'), b: s('b') };
      b.op('linear', { ...forward, dtype, rows, k, n, ldo: n, ldx, ldi: ldo, rank, ldt, alpha: 0.7 });
      const back = { out: s('dx'), dy: s('out'), w: s('w'), dt: s('t'), a: s('a') };
      b.op('linearDx', { ...back, dtype, rows, k, n, ldo: ldx, ldy: n, add: 1, rank, ldt, alpha: 1.3 });
    });
  });

  it.each([3, 21])('a weight in two buffers, %i rows: sums and roundings are those of one', async (rows) => {
    const [k, ldx] = [96, 104];
    const inputs = { ...lora(rows, k, ldx), w: weight('f32', n, k, 2), bias: random(n, 8) };
    const outputs = { out: rows * ldo, biased: rows * n };
    const results = [];
    for (const split of [undefined, { name: 'w', rows: n, at: 40 }]) {
      const found = await pair.agree(
        { inputs, outputs, changes: ['dx'], scratch: ['out'], apart, ...(split ? { split } : {}) },
        (b, s) => {
          const common = { x: s('x'), w: s('w'), dtype: 0, rows, k, n, ldx, alpha: 0.7 };
          const pairOf = { t: s('t'), b: s('b'), rank, ldt };
          b.op('linear', { ...common, ...pairOf, out: s('out'), init: s('init'), ldo, ldi: ldo });
          const none = { t: null, b: null, rank: 0, ldt: 0 };
          b.op('linear', { ...common, ...none, out: s('biased'), init: s('bias'), ldo: n, ldi: 0 });
          const back = { out: s('dx'), dy: s('out'), w: s('w'), dt: s('t'), a: s('a'), dtype: 0, rows, k, n };
          b.op('linearDx', { ...back, ldo: ldx, ldy: ldo, add: 1, rank, ldt, alpha: 1.3 });
        },
      );
      results.push(['biased', 'dx'].map((name) => Array.from(found.get(name)!)));
    }
    expect(results[1]).toEqual(results[0]);
  });

  it.each([5, 33])('%i rows: a bias, nothing added', async (rows) => {
    const [k, ldx] = [96, 104];
    const inputs = { ...lora(rows, k, ldx), w: weight('f32', n, k, 2), bias: random(n, 8) };
    const outputs = { out: rows * n, plain: rows * n, fresh: rows * k };
    await pair.agree({ inputs, outputs, apart }, (b, s) => {
      const common = { x: s('x'), w: s('w'), t: null, b: null, dtype: 0, rows, k, n, ldx, ldi: 0, rank: 0, ldt: 0 };
      b.op('linear', { ...common, out: s('out'), init: s('bias'), ldo: n, alpha: 1 });
      b.op('linear', { ...common, out: s('plain'), init: null, ldo: n, alpha: 2 });
      const back = { out: s('fresh'), dy: s('out'), w: s('w'), dt: null, a: null, dtype: 0, rows, k, n };
      b.op('linearDx', { ...back, ldo: k, ldy: n, add: 0, rank: 0, ldt: 0, alpha: 1 });
    });
  });

  it.each([
    [37, 24],
    [5, 72],
  ])('gradient of the weight: %i rows, %i columns out', async (rows, n) => {
    const [k, ldx, ldy] = [72, 80, n + 8];
    const inputs = { dy: random(rows * ldy, 1), x: random(rows * ldx, 2), dw: random(n * k, 3) };
    await pair.agree({ inputs, outputs: { fresh: n * k }, changes: ['dw'], apart: ['dw'] }, (b, s) => {
      const common = { dy: s('dy'), x: s('x'), rows, k, n, ldy, ldx };
      b.op('linearDw', { ...common, dw: s('dw'), add: 1 });
      b.op('linearDw', { ...common, dw: s('fresh'), add: 0 });
    });
  });
});

it('swiglu and its gradient, far from 0 too', async () => {
  const words = 520; // more than two workgroups
  const gate = random(words, 1, 3).map((x, i) => (i === 3 ? 95 : i === 4 ? -95 : x));
  const inputs = { gate, up: random(words, 2), dOut: random(words, 3) };
  await pair.agree({ inputs, outputs: { out: words, dGate: words, dUp: words } }, (b, s) => {
    b.op('swiglu', { out: s('out'), gate: s('gate'), up: s('up'), words });
    const from = { dOut: s('dOut'), gate: s('gate'), up: s('up'), words };
    b.op('swigluGrad', { dGate: s('dGate'), dUp: s('dUp'), ...from });
  });
});

it('rope turns there and back', async () => {
  const [rows, heads, dim, ld] = [7, 3, 32, 104]; // more than one workgroup
  const table = random(9 * dim, 2);
  const inputs = { x: random(rows * ld, 1), y: random(rows * ld, 3), table, positions: integers(0, 1, 2, 3, 8, 8, 5) };
  await pair.agree({ inputs, outputs: {}, changes: ['x', 'y'], apart: ['table'] }, (b, s) => {
    const turn = { positions: s('positions'), table: s('table'), rows, heads, dim, ld };
    b.op('rope', { x: s('x'), ...turn, direction: 1 });
    b.op('rope', { x: s('y'), ...turn, direction: -1 });
  });
});

describe.each(KINDS)('attention, %s', (_, kind) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await Pair.open(kind);
  });
  afterAll(() => pair.close());

  it.each([
    ['in the slab', 8, 4, 2, []],
    ['pages apart, one kv head', 16, 3, 1, ['pages']],
    ['as many kv heads as heads', 24, 2, 2, ['pages']],
  ] as const)(
    // Rests of blocks that leave no room in the dispatch: its last item counts.
    'of sequences of 33, 3, 1 and 65 tokens, and its gradients: %s',
    async (_, dim, heads, kvHeads, apart) => {
      const lengths = [33, 3, 1, 65];
      const rows = lengths.reduce((a, b) => a + b);
      const [qs, ks] = [heads * dim, kvHeads * dim];
      const pageBytes = 2 * PAGE * ks * 4;
      const [units, positions, page, sequences]: number[][] = [[], [], [], []];
      let [row, pages] = [0, 0];
      for (const length of lengths) {
        sequences!.push(row, length, pages);
        for (let i = 0; i < length; i++) {
          if (i % UNIT === 0) units!.push(row + i, Math.min(UNIT, length - i), i, pages);
          positions!.push(i);
          page!.push((pages + Math.floor(i / PAGE)) * pageBytes);
        }
        row += length;
        pages += Math.ceil(length / PAGE);
      }
      const inputs = {
        ...{ q: random(rows * qs, 1), k: random(rows * ks, 2), v: random(rows * ks, 3), dOut: random(rows * qs, 4) },
        ...{ units: integers(...units!), positions: integers(...positions!), page: integers(...page!) },
        ...{ tables: Int32Array.from({ length: pages }, (_, i) => i * pageBytes), sequences: integers(...sequences!) },
      };
      const sizes = { pages: (pages * pageBytes) / 4, out: rows * qs, lse: rows * heads, dq: rows * qs };
      const outputs = { ...sizes, dk: rows * ks, dv: rows * ks };
      await pair.agree({ inputs, outputs, scratch: ['pages'], apart }, (b, s) => {
        const store = { pages: s('pages'), k: s('k'), v: s('v'), positions: s('positions'), page: s('page') };
        b.op('storeKv', { ...store, rows, heads: kvHeads, dim, ld: ks });
        const where = { pages: s('pages'), tables: s('tables'), heads, kvHeads, dim, scale: 1 / Math.sqrt(dim) };
        const units_ = { units: s('units'), count: units!.length / 4 };
        b.op('attention', { ...where, ...units_, out: s('out'), lse: s('lse'), q: s('q'), ld: qs });
        b.op('attentionGrad', {
          ...{ ...where, dq: s('dq'), dk: s('dk'), dv: s('dv'), dOut: s('dOut'), out: s('out'), q: s('q'), k: s('k') },
          ...{ lse: s('lse'), sequences: s('sequences'), count: lengths.length, ldq: qs, ldk: ks, rows },
        });
      });
    },
  );

  it('storeKv writes keys and values where they belong, and nothing else', async () => {
    const [rows, heads, dim] = [4, 2, 16];
    const words = 2 * PAGE * heads * dim;
    const inputs = { pages: random(2 * words, 1), k: random(rows * 32, 2), v: random(rows * 32, 3) };
    const places = { positions: integers(0, 31, 9, 40), page: integers(0, 0, words * 4, words * 4) };
    await pair.agree({ inputs: { ...inputs, ...places }, outputs: {}, changes: ['pages'], tolerance: 0 }, (b, s) => {
      const from = { k: s('k'), v: s('v'), positions: s('positions'), page: s('page') };
      b.op('storeKv', { pages: s('pages'), ...from, rows, heads, dim, ld: heads * dim });
    });
  });
});

describe.each(KINDS)('cross-entropy, %s', (_, kind) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await Pair.open(kind);
  });
  afterAll(() => pair.close());

  const [rows, vocab] = [5, 301];
  const ld = pad8(vocab);
  const targets = integers(3, 300, 0, -1, 7);
  const numbers = { rows, vocab, ld };
  const of = (b: Parameters<Parameters<Pair['agree']>[1]>[0], s: Parameters<Parameters<Pair['agree']>[1]>[1]) => ({
    train: (name: string) =>
      b.op('crossEntropy', {
        ...{ logits: s('logits'), logps: s('logps'), lses: s('lses'), targets: s('targets') },
        ...{ coefficients: name ? s(name) : null, ...numbers },
      }),
  });

  it('log-probabilities, log-sum-exps and the gradient of the logits', async () => {
    const logits = padded(random(rows * vocab, 1, 3), vocab);
    const inputs = { logits, targets, coefficients: Float32Array.of(0.5, -1, 2, 0.25, 1) };
    const test = { inputs, outputs: { logps: rows, lses: rows }, changes: ['logits'] };
    const found = await pair.agree(test, (b, s) => of(b, s).train('coefficients'));
    for (let i = 0; i < rows * ld; i++) if (i % ld >= vocab) expect(found.get('logits')![i]).toBe(0);
  });

  it('without coefficients leaves the logits; a NaN or an infinity makes its own row NaN', async () => {
    const logits = padded(random(rows * vocab, 1, 3), vocab);
    logits[3 * ld + 40] = 150; // its exponential is no f32
    const inputs = { logits, targets };
    await pair.agree({ inputs, outputs: { logps: rows, lses: rows }, scratch: [] }, (b, s) => of(b, s).train(''));
    logits[ld + 77] = NaN;
    logits[2 * ld + 300] = -Infinity;
    const test = { inputs, outputs: { logps: rows, lses: rows }, scratch: ['logps', 'lses'], changes: ['logits'] };
    const found = await pair.agree({ ...test, scratch: ['logps', 'lses', 'logits'] }, (b, s) => of(b, s).train(''));
    for (const name of ['logps', 'lses']) {
      expect(Array.from(found.get(name)!, Number.isNaN), name).toEqual([false, true, true, false, false]);
    }
  });
});

describe('the optimiser', () => {
  it('squareSum, clip, adamw: three steps of a clipped gradient', async () => {
    const words = 4096 * 2 + 56;
    const count = 3;
    const inputs = { p: random(words, 1), m: random(words, 2, 0.1), v: random(words, 3).map((x) => x * x) };
    const test = {
      ...{
        inputs: { ...inputs, g: random(words, 4), logps: random(5, 5) },
        outputs: { partials: 2 * count, scale: 1 },
      },
      ...{ changes: ['p', 'm', 'v'], scratch: ['partials'], apart: ['p', 'm', 'v', 'g'] },
    };
    const found = await pair.agree(test, (b, s) => {
      b.op('squareSum', { out: s('partials'), g: s('g'), words });
      b.op('clip', { scale: s('scale'), partials: s('partials'), logps: s('logps'), count, rows: 5, limit: 0.5 });
      for (let step = 1; step <= 3; step++) {
        b.op('adamw', {
          ...{ p: s('p'), m: s('m'), v: s('v'), g: s('g'), scale: s('scale'), words, keep: 0.999, b1: 0.9, c1: 0.1 },
          ...{ b2: 0.99, c2: 0.01, step: 0.01, root: Math.sqrt(1 - 0.99 ** step), eps: 1e-8 },
        });
      }
    });
    const partials = new Float64Array(found.get('partials')!.slice().buffer);
    let sum = 0;
    for (const x of test.inputs.g) sum += x * x;
    expect(Math.abs(partials.reduce((a, b) => a + b) / sum - 1)).toBeLessThan(1e-6);
  });

  it.each([
    ['gradient', 4100, 0],
    ['log-probability', -1, 2],
  ])('a %s that is not a number changes nothing', async (_, inGradient, inLoss) => {
    const words = 4096 + 8;
    const [g, logps] = [random(words, 4), random(3, 5)];
    if (inGradient >= 0) g[inGradient] = NaN;
    else logps[inLoss] = Infinity;
    const inputs = { p: random(words, 1), m: random(words, 2), v: random(words, 3).map((x) => x * x), g, logps };
    const test = { inputs, outputs: { partials: 4, scale: 1 }, scratch: ['partials', 'scale'], apart: ['g', 'p'] };
    const found = await pair.agree(test, (b, s) => {
      b.op('squareSum', { out: s('partials'), g: s('g'), words });
      b.op('clip', { scale: s('scale'), partials: s('partials'), logps: s('logps'), count: 2, rows: 3, limit: 0 });
      b.op('adamw', {
        ...{ p: s('p'), m: s('m'), v: s('v'), g: s('g'), scale: s('scale'), words, keep: 0.9, b1: 0.9, c1: 0.1 },
        ...{ b2: 0.99, c2: 0.01, step: 0.01, root: 1, eps: 1e-8 },
      });
    });
    expect(found.get('scale')![0]).toBeNaN();
  });
});

describe('sampling', () => {
  const vocab = 413;
  const ld = pad8(vocab);
  interface Row {
    temperature: number;
    topK?: number;
    topP?: number;
    mask?: boolean;
  }

  async function tokens(rows: Row[], change: (logits: Float32Array, masks: Uint8Array) => void = () => undefined) {
    const logits = padded(random(rows.length * vocab, 7, 2), vocab);
    const masks = new Uint8Array(Math.ceil((rows.length * vocab + 4) / 4) * 4);
    rows.forEach((_, r) => {
      for (let i = 0; i < vocab; i++) masks[r * vocab + i] = (i * 7 + r) % 3 === 0 ? 1 : 0;
    });
    change(logits, masks);
    const parameters = new Int32Array(rows.length * 8);
    const reals = new Float32Array(parameters.buffer);
    rows.forEach(({ temperature, topK = 0, topP = 0, mask = false }, r) => {
      reals[r * 8] = temperature;
      parameters[r * 8 + 1] = topK;
      reals[r * 8 + 2] = topP;
      parameters.set([1234 + r, 5, 17 * r, mask ? r * vocab : -1], r * 8 + 3);
    });
    const inputs = { logits, parameters, masks: new Int32Array(masks.buffer) };
    // Results hold integers and reals: compared below. The CPU pads the logits with -inf.
    const test = { inputs, outputs: { results: rows.length * 4 }, scratch: ['results'] };
    const sample = { rows: rows.length, vocab, ld };
    const cpu: { results?: Float32Array } = {};
    const found = await pair.agree(test, (b, s) =>
      b.op('sample', {
        results: s('results'),
        logits: s('logits'),
        parameters: s('parameters'),
        masks: s('masks'),
        ...sample,
      }),
    );
    cpu.results = pair.expected!('results');
    const [a, e] = [found.get('results')!, cpu.results];
    const [ai, ei] = [new Int32Array(a.buffer), new Int32Array(e.buffer)];
    return rows.map((_, r) => {
      const part = (ints: Int32Array, reals: Float32Array) => ({
        ...{ token: ints[r * 4]!, logprob: reals[r * 4 + 1]!, removed: reals[r * 4 + 2]! },
      });
      return { gpu: part(ai, a), cpu: part(ei, e) };
    });
  }

  it('chooses the CPU’s tokens under every setting, with its log-probabilities and removed mass', async () => {
    const kinds: Row[] = [
      ...[{ temperature: 0 }, { temperature: 0, mask: true }, { temperature: 1 }, { temperature: 0.7, mask: true }],
      ...[
        { temperature: 1.3, topK: 5 },
        { temperature: 1, topK: 1 },
        { temperature: 1, topP: 0.6 },
      ],
      ...[
        { temperature: 0.9, topK: 40, topP: 0.8 },
        { temperature: 1.1, topK: 9, topP: 0.95, mask: true },
      ],
    ];
    const results = await tokens([...kinds, ...kinds, ...kinds]);
    for (const { gpu, cpu } of results) {
      expect(gpu.token).toBe(cpu.token);
      expect(Math.abs(gpu.logprob - cpu.logprob)).toBeLessThan(1e-5);
      expect(Math.abs(gpu.removed - cpu.removed)).toBeLessThan(1e-5);
    }
    expect(new Set(results.map(({ gpu }) => gpu.token)).size).toBeGreaterThan(9);
  });

  it('ties at a cut go to the lower ids', async () => {
    const rows: Row[] = Array.from({ length: 12 }, (_, i) =>
      i % 2 ? { temperature: 1, topK: 3 } : { temperature: 1, topP: 0.5 },
    );
    const results = await tokens(rows, (logits) => {
      logits.fill(-2);
      for (let r = 0; r < rows.length; r++) for (const i of [400, 20, 150, 60, 399]) logits[r * ld + i] = 6;
    });
    for (const { gpu, cpu } of results) {
      expect(gpu.token).toBe(cpu.token);
      expect([20, 60, 150]).toContain(gpu.token);
    }
  });

  it('says when a logit is no number, and when a mask allows nothing', async () => {
    const rows: Row[] = [
      { temperature: 1 },
      { temperature: 0, mask: true },
      { temperature: 1, mask: true },
      { temperature: 1 },
    ];
    const results = await tokens(rows, (logits, masks) => {
      logits[100] = NaN;
      masks.fill(0);
    });
    expect(results.map(({ gpu }) => Math.min(0, gpu.token))).toEqual([-1, -2, -2, 0]);
    expect(results.map(({ cpu }) => Math.min(0, cpu.token))).toEqual([-1, -2, -2, 0]);
  });
});
