// Each backward op by itself against finite differences of its formula in float64, at sizes that leave remainders.
// Attention has a file of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../plan/ops.ts';
import { pad8 } from '../plan/shape.ts';
import { Executor } from './executor.ts';
import { padded, panels, random, run, slopes, unpadded } from './ops-testing.ts';
import { unpackF32 } from '../host/pack.ts';
import { relativeError } from './testing.ts';

let executor: Executor;
beforeAll(async () => {
  executor = await Executor.create(2, 1 << 21);
});
afterAll(() => executor.close());

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
    const out = run(executor, inputs, { y: rows * ld, keep: rows, dx: rows * ld, dw: ld }, (b, s) => {
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
    const out = run(executor, { gate, up, dy }, { y: words, dGate: words, dUp: words }, (b, s) => {
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
    const out = run(executor, inputs, sizes, (b, s) => {
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
    const out = run(executor, inputs, { logps: rows, lses: rows }, (b, s) => {
      const args = { logits: s('logits'), logps: s('logps'), lses: s('lses'), targets: s('targets') };
      b.op('crossEntropy', { ...args, coefficients: s('coefficients'), rows, vocab, ld });
    });
    close(out('logps'), f(z));
    const dy = coefficients.map((c) => -c);
    close(unpadded(out('logits'), vocab), slopes(f, z, dy));
    expect(
      out('logits')
        .filter((_, i) => i % ld >= vocab)
        .every((x) => x === 0),
    ).toBe(true);
  });

  it('embedding: rows of the table, and its gradient with repeated ids', () => {
    const [n, k, ids] = [11, 10, Int32Array.from([3, 0, 10, 3])];
    const [table, dx] = [random(n * k, 1), random(ids.length * k, 2)];
    const kp = pad8(k);
    const inputs = { table: panels(table, n, k), ids, dx: padded(dx, k) };
    const out = run(executor, inputs, { y: ids.length * kp, grad: pad8(n) * kp }, (b, s) => {
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
    const out = run(
      executor,
      { x, table, positions, index },
      { y: x.length, z: x.length, turned: x.length },
      (b, s) => {
        const ld = heads * dim;
        const turn = { x: s('x'), positions: s('positions'), table: s('table'), rows, heads, dim, ld };
        b.op('rope', { ...turn, direction: 1 });
        b.op('moveRows', { out: s('turned'), x: at(s('x'), 0), index: s('index'), rows, width: ld, scatter: 0 });
        b.op('rope', { ...turn, direction: -1 });
        b.op('moveRows', { out: s('y'), x: s('x'), index: s('index'), rows, width: ld, scatter: 0 });
        b.op('moveRows', { out: s('z'), x: s('y'), index: s('index'), rows, width: ld, scatter: 1 });
      },
    );
    close(out('z'), x);
    expect(relativeError(out('turned'), out('y'))).toBeGreaterThan(0.1);
  });
});
