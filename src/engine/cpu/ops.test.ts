// Each backward op by itself against finite differences of its formula in float64, at sizes that leave remainders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RandomStream } from '../model/random.ts';
import { PlanBuilder } from '../plan/builder.ts';
import { at, type Ref } from '../plan/ops.ts';
import { pad8, PAGE, UNIT } from '../plan/shape.ts';
import { Executor } from './executor.ts';
import { packF32, unpackF32 } from './pack.ts';
import { relativeError } from './testing.ts';

let executor: Executor;
beforeAll(async () => {
  executor = await Executor.create(2, 1 << 21);
});
afterAll(() => executor.close());

const random = (length: number, seed: number, std = 1): Float32Array => {
  const stream = new RandomStream(seed, 'ops');
  return Float32Array.from({ length }, () => std * stream.normal());
};

/** Rows of `width` in rows of pad8(width), zeros between. */
const padded = (values: Float32Array, width: number): Float32Array => {
  const [ld, rows] = [pad8(width), values.length / width];
  const out = new Float32Array(rows * ld);
  for (let r = 0; r < rows; r++) out.set(values.subarray(r * width, (r + 1) * width), r * ld);
  return out;
};
const unpadded = (values: Float32Array, width: number): Float32Array => {
  const [ld, rows] = [pad8(width), Math.floor(values.length / pad8(width))];
  const out = new Float32Array(rows * width);
  for (let r = 0; r < rows; r++) out.set(values.subarray(r * ld, r * ld + width), r * width);
  return out;
};
const panels = (values: Float32Array, n: number, k: number): Float32Array => {
  const out = new Float32Array(pad8(n) * pad8(k));
  packF32(values, n, k, out);
  return out;
};

/** Builds a plan over named slots, fills them, runs it, and reads them. */
function run(
  inputs: Record<string, Float32Array | Int32Array>,
  outputs: Record<string, number>,
  build: (b: PlanBuilder, slot: (name: string) => Ref) => void,
): (name: string) => Float32Array {
  const b = new PlanBuilder();
  const refs = new Map<string, Ref>();
  for (const [name, { length }] of Object.entries(inputs)) refs.set(name, b.slot(name, length));
  for (const [name, length] of Object.entries(outputs)) refs.set(name, b.slot(name, length));
  build(b, (name) => refs.get(name)!);
  const plan = b.finish();
  executor.prepare(plan);
  for (const [name, values] of Object.entries(inputs)) {
    if (values instanceof Int32Array) executor.ints(plan, name).set(values);
    else executor.floats(plan, name).set(values);
  }
  executor.run(plan, () => 0);
  return (name) => executor.floats(plan, name).slice(0, outputs[name] ?? inputs[name]!.length);
}

/** d(sum_i dy_i f(x)_i)/dx by central differences in float64. */
function slopes(f: (x: Float64Array) => ArrayLike<number>, x: Float32Array, dy: Float32Array): Float64Array {
  const point = Float64Array.from(x);
  const value = () => {
    const y = f(point);
    let sum = 0;
    for (let i = 0; i < dy.length; i++) sum += dy[i]! * y[i]!;
    return sum;
  };
  return point.map((old, i) => {
    const h = 1e-5;
    point[i] = old + h;
    const high = value();
    point[i] = old - h;
    const low = value();
    point[i] = old;
    return (high - low) / (2 * h);
  });
}

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, what = '') =>
  expect(relativeError(found, expected), what).toBeLessThan(2e-5);

describe('backward ops', () => {
  it('rmsNorm: of x and of w', () => {
    const [rows, width, eps] = [5, 13, 1e-3];
    const [x, w, dy] = [random(rows * width, 1), random(width, 2), random(rows * width, 3)];
    const norm = (x: ArrayLike<number>, w: ArrayLike<number>) =>
      Array.from({ length: rows * width }, (_, i) => {
        const from = i - (i % width);
        let sum = 0;
        for (let j = 0; j < width; j++) sum += x[from + j]! ** 2;
        return (x[i]! / Math.sqrt(sum / width + eps)) * w[i % width]!;
      });
    const ld = pad8(width);
    const inputs = { x: padded(x, width), w: padded(w, width), dy: padded(dy, width) };
    const out = run(inputs, { y: rows * ld, keep: rows, dx: rows * ld, dw: ld }, (b, s) => {
      b.op('rmsNorm', { out: s('y'), keep: s('keep'), x: s('x'), w: s('w'), rows, width, ld, eps });
      const grad = { dx: s('dx'), dy: s('dy'), x: s('x'), w: s('w'), keep: s('keep'), rows, width, ld, add: 0 };
      b.op('rmsNormGrad', grad);
      b.op('zero', { out: s('dw'), words: ld });
      b.op('columnSum', { dw: s('dw'), dy: s('dy'), x: s('x'), keep: s('keep'), rows, ld });
    });
    close(unpadded(out('y'), width), norm(x, w));
    close(
      unpadded(out('dx'), width),
      slopes((p) => norm(p, w), x, dy),
    );
    close(
      unpadded(out('dw'), width),
      slopes((p) => norm(x, p), w, dy),
    );
  });

  it('swiglu: of gate and up', () => {
    const words = 24;
    const [gate, up, dy] = [random(words, 1, 3), random(words, 2), random(words, 3)];
    const f = (g: ArrayLike<number>, u: ArrayLike<number>) => Array.from(g, (x, i) => (x / (1 + Math.exp(-x))) * u[i]!);
    const out = run({ gate, up, dy }, { y: words, dGate: words, dUp: words }, (b, s) => {
      b.op('swiglu', { out: s('y'), gate: s('gate'), up: s('up'), words });
      const grad = { dGate: s('dGate'), dUp: s('dUp'), dOut: s('dy'), gate: s('gate'), up: s('up'), words };
      b.op('swigluGrad', grad);
    });
    close(out('y'), f(gate, up));
    close(
      out('dGate'),
      slopes((p) => f(p, up), gate, dy),
    );
    close(
      out('dUp'),
      slopes((p) => f(gate, p), up, dy),
    );
  });

  it.each([1, 3, 6, 37])('linear with a bias and a LoRA pair, %d rows: of x, w, A and B', (rows) => {
    const [k, n, r, scale] = [19, 29, 3, 0.7];
    const [x, w, bias, dy] = [random(rows * k, 1), random(n * k, 2), random(n, 3), random(rows * n, 4)];
    const [A, B] = [random(r * k, 5), random(n * r, 6)];
    const f = (x: ArrayLike<number>, w: ArrayLike<number>, A: ArrayLike<number>, B: ArrayLike<number>) =>
      Array.from({ length: rows * n }, (_, i) => {
        const [row, j] = [Math.floor(i / n), i % n];
        let sum = bias[j]!;
        for (let l = 0; l < k; l++) sum += x[row * k + l]! * w[j * k + l]!;
        for (let q = 0; q < r; q++) {
          let t = 0;
          for (let l = 0; l < k; l++) t += x[row * k + l]! * A[q * k + l]!;
          sum += scale * t * B[j * r + q]!;
        }
        return sum;
      });
    const [kp, np, rp] = [pad8(k), pad8(n), pad8(r)];
    const inputs = {
      ...{ x: padded(x, k), w: panels(w, n, k), bias: padded(bias, n), dy: padded(dy, n) },
      ...{ A: panels(A, r, k), B: panels(B, n, r) },
    };
    const sizes = { t: rows * rp, y: rows * np, dt: rows * rp, dx: rows * kp, dw: np * kp, dA: rp * kp, dB: np * rp };
    const out = run(inputs, sizes, (b, s) => {
      const none = { init: null, t: null, b: null, dtype: 0, rows, ldi: 0, rank: 0, ldt: 0, alpha: 1 };
      b.op('linear', { ...none, out: s('t'), x: s('x'), w: s('A'), k: kp, n: rp, ldo: rp, ldx: kp, alpha: scale });
      const lora = { t: s('t'), b: s('B'), rank: rp, ldt: rp, init: s('bias') };
      b.op('linear', { ...none, ...lora, out: s('y'), x: s('x'), w: s('w'), k: kp, n: np, ldo: np, ldx: kp });
      const back = { dt: null, a: null, dtype: 0, rows, add: 0, rank: 0, ldt: 0, alpha: 1 };
      b.op('linearDx', { ...back, out: s('dt'), dy: s('dy'), w: s('B'), k: rp, n: np, ldo: rp, ldy: np, alpha: scale });
      const more = { dt: s('dt'), a: s('A'), rank: rp, ldt: rp };
      b.op('linearDx', { ...back, ...more, out: s('dx'), dy: s('dy'), w: s('w'), k: kp, n: np, ldo: kp, ldy: np });
      const dw = { rows, add: 0 };
      b.op('linearDw', { ...dw, dw: s('dw'), dy: s('dy'), x: s('x'), k: kp, n: np, ldy: np, ldx: kp });
      b.op('linearDw', { ...dw, dw: s('dA'), dy: s('dt'), x: s('x'), k: kp, n: rp, ldy: rp, ldx: kp });
      b.op('linearDw', { ...dw, dw: s('dB'), dy: s('dy'), x: s('t'), k: rp, n: np, ldy: np, ldx: rp });
    });
    close(unpadded(out('y'), n), f(x, w, A, B), 'y');
    close(
      unpadded(out('dx'), k),
      slopes((p) => f(p, w, A, B), x, dy),
      'dx',
    );
    close(
      unpackF32(out('dw'), n, k),
      slopes((p) => f(x, p, A, B), w, dy),
      'dw',
    );
    close(
      unpackF32(out('dA'), r, k),
      slopes((p) => f(x, w, p, B), A, dy),
      'dA',
    );
    close(
      unpackF32(out('dB'), n, r),
      slopes((p) => f(x, w, A, p), B, dy),
      'dB',
    );
  });

  it('attention over two sequences: of q, k and v', () => {
    const [lengths, heads, kvHeads, dim] = [[35, 6], 4, 2, 8];
    const rows = 41;
    const [qs, ks] = [heads * dim, kvHeads * dim];
    const [q, k, v, dy] = [random(rows * qs, 1), random(rows * ks, 2), random(rows * ks, 3), random(rows * qs, 4)];
    const scale = 1 / Math.sqrt(dim);
    const f = (q: ArrayLike<number>, k: ArrayLike<number>, v: ArrayLike<number>) => {
      const out = new Float64Array(rows * qs);
      let start = 0;
      for (const length of lengths) {
        for (let i = 0; i < length; i++) {
          for (let h = 0; h < heads; h++) {
            const g = Math.floor((h * kvHeads) / heads);
            const e = Array.from({ length: i + 1 }, (_, j) => {
              let dot = 0;
              for (let d = 0; d < dim; d++) {
                dot += q[(start + i) * qs + h * dim + d]! * k[(start + j) * ks + g * dim + d]!;
              }
              return Math.exp(dot * scale);
            });
            const total = e.reduce((a, b) => a + b);
            e.forEach((x, j) => {
              for (let d = 0; d < dim; d++) {
                out[(start + i) * qs + h * dim + d]! += (x / total) * v[(start + j) * ks + g * dim + d]!;
              }
            });
          }
        }
        start += length;
      }
      return out;
    };
    const pageBytes = 2 * PAGE * ks * 4;
    const [units, positions, page]: number[][] = [[], [], []];
    let [row, pages] = [0, 0];
    for (const length of lengths) {
      for (let i = 0; i < length; i++) {
        if (i % UNIT === 0) units!.push(row + i, Math.min(UNIT, length - i), i, pages);
        positions!.push(i);
        page!.push((pages + Math.floor(i / PAGE)) * pageBytes);
      }
      row += length;
      pages += Math.ceil(length / PAGE);
    }
    const inputs = {
      ...{ q, k, v, dy, units: Int32Array.from(units!), positions: Int32Array.from(positions!) },
      ...{ page: Int32Array.from(page!), tables: Int32Array.from([0, pageBytes, 2 * pageBytes]) },
      sequences: Int32Array.from([0, 35, 0, 35, 6, 2]),
    };
    const sizes = { pages: (3 * pageBytes) / 4, y: rows * qs, lse: rows * heads, dq: rows * qs, dk: rows * ks };
    const out = run(inputs, { ...sizes, dv: rows * ks }, (b, s) => {
      const store = { pages: s('pages'), k: s('k'), v: s('v'), positions: s('positions'), page: s('page') };
      b.op('storeKv', { ...store, rows, heads: kvHeads, dim, ld: ks });
      const where = { pages: s('pages'), tables: s('tables'), heads, kvHeads, dim, scale };
      const forward = { out: s('y'), lse: s('lse'), q: s('q'), units: s('units'), count: units!.length / 4, ld: qs };
      b.op('attention', { ...where, ...forward });
      b.op('attentionGrad', {
        ...{ ...where, dq: s('dq'), dk: s('dk'), dv: s('dv'), dOut: s('dy'), out: s('y'), q: s('q'), k: s('k') },
        ...{ lse: s('lse'), sequences: s('sequences'), count: 2, ldq: qs, ldk: ks },
      });
    });
    close(out('y'), f(q, k, v), 'y');
    close(
      out('dq'),
      slopes((p) => f(p, k, v), q, dy),
      'dq',
    );
    close(
      out('dk'),
      slopes((p) => f(q, p, v), k, dy),
      'dk',
    );
    close(
      out('dv'),
      slopes((p) => f(q, k, p), v, dy),
      'dv',
    );
  }, 60_000);

  it('cross-entropy: of the logits', () => {
    const [rows, vocab] = [5, 21];
    const z = random(rows * vocab, 1, 3);
    const targets = Int32Array.from([3, 20, 0, 7, 7]);
    const coefficients = Float32Array.from([0.5, -1, 2, 0.25, 1]);
    const f = (z: ArrayLike<number>) =>
      Array.from(targets, (target, r) => {
        let sum = 0;
        for (let i = 0; i < vocab; i++) sum += Math.exp(z[r * vocab + i]!);
        return z[r * vocab + target]! - Math.log(sum);
      });
    const ld = pad8(vocab);
    const inputs = { logits: padded(z, vocab), targets, coefficients };
    const out = run(inputs, { logps: rows, lses: rows }, (b, s) => {
      const args = { logits: s('logits'), logps: s('logps'), lses: s('lses'), targets: s('targets') };
      b.op('crossEntropy', { ...args, coefficients: s('coefficients'), rows, vocab, ld });
    });
    close(out('logps'), f(z));
    const dy = coefficients.map((c) => -c);
    close(unpadded(out('logits'), vocab), slopes(f, z, dy));
    expect(
      out('logits')
        .filter((_, i) => i % ld >= vocab && true)
        .every((x) => x === 0),
    ).toBe(true);
  });

  it('embedding: rows of the table, and its gradient with repeated ids', () => {
    const [n, k, ids] = [11, 10, Int32Array.from([3, 0, 10, 3])];
    const [table, dx] = [random(n * k, 1), random(ids.length * k, 2)];
    const kp = pad8(k);
    const inputs = { table: panels(table, n, k), ids, dx: padded(dx, k) };
    const out = run(inputs, { y: ids.length * kp, grad: pad8(n) * kp }, (b, s) => {
      b.op('embed', { out: s('y'), table: s('table'), ids: s('ids'), dtype: 0, rows: ids.length, k: kp });
      b.op('zero', { out: s('grad'), words: pad8(n) * kp });
      b.op('embedGrad', { table: s('grad'), dx: s('dx'), ids: s('ids'), rows: ids.length, k: kp });
    });
    const f = (table: ArrayLike<number>) =>
      Array.from({ length: ids.length * k }, (_, i) => table[ids[Math.floor(i / k)]! * k + (i % k)]!);
    expect(Array.from(unpadded(out('y'), k))).toEqual(f(table));
    close(unpackF32(out('grad'), n, k), slopes(f, table, dx));
  });

  it('rope turns back, rows move and return', () => {
    const [rows, heads, dim] = [7, 3, 8];
    const x = random(rows * heads * dim, 1);
    const table = Float32Array.from({ length: 9 * dim }, (_, i) =>
      i % dim < dim / 2 ? Math.cos(Math.floor(i / dim) * ((i % 4) + 1)) : Math.sin(Math.floor(i / dim) * ((i % 4) + 1)),
    );
    const positions = Int32Array.from([0, 1, 2, 3, 8, 8, 5]);
    const index = Int32Array.from([6, 5, 4, 3, 2, 1, 0]);
    const out = run({ x, table, positions, index }, { y: x.length, z: x.length, turned: x.length }, (b, s) => {
      const ld = heads * dim;
      const turn = { x: s('x'), positions: s('positions'), table: s('table'), rows, heads, dim, ld };
      b.op('rope', { ...turn, direction: 1 });
      b.op('moveRows', { out: s('turned'), x: at(s('x'), 0), index: s('index'), rows, width: ld, scatter: 0 });
      b.op('rope', { ...turn, direction: -1 });
      b.op('moveRows', { out: s('y'), x: s('x'), index: s('index'), rows, width: ld, scatter: 0 });
      b.op('moveRows', { out: s('z'), x: s('y'), index: s('index'), rows, width: ld, scatter: 1 });
    });
    close(out('z'), x);
    expect(relativeError(out('turned'), out('y'))).toBeGreaterThan(0.1);
  });
});
