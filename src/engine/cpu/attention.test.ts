// Attention forward and backward by itself against its formula in float64 and finite differences.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAGE, UNIT } from '../plan/shape.ts';
import { Executor } from './executor.ts';
import { random, run, slopes } from './ops-testing.ts';
import { relativeError } from './testing.ts';

let executor: Executor;
beforeAll(async () => {
  executor = await Executor.create(2, 1 << 21);
});
afterAll(() => executor.close());

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, what = '') =>
  expect(relativeError(found, expected), what).toBeLessThan(2e-5);

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
  const out = run(executor, inputs, { ...sizes, dv: rows * ks }, (b, s) => {
    const store = { pages: s('pages'), k: s('k'), v: s('v'), positions: s('positions'), page: s('page') };
    b.op('storeKv', { ...store, rows, heads: kvHeads, dim, ld: ks });
    const where = { pages: s('pages'), tables: s('tables'), heads, kvHeads, dim, scale };
    const forward = { out: s('y'), lse: s('lse'), q: s('q'), units: s('units'), count: units!.length / 4, ld: qs };
    b.op('attention', { ...where, ...forward });
    b.op('attentionGrad', {
      ...{ ...where, dq: s('dq'), dk: s('dk'), dv: s('dv'), dOut: s('dy'), out: s('y'), q: s('q'), k: s('k') },
      ...{ lse: s('lse'), sequences: s('sequences'), count: 2, ldq: qs, ldk: ks, rows },
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
