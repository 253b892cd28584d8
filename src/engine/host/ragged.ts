// Sequences of different lengths as the rows of one batch, for scoring and training: positions, pages, attention units.
// Keys and values live in pages of the plan's own; page addresses are offsets from the layer's first page.
import { type BatchCounts, pageWords } from '../plan/forward.ts';
import type { Plan } from '../plan/builder.ts';
import { PAGE, UNIT } from '../plan/shape.ts';
import type { ModelConfig } from '../types.ts';
import type { Machine } from './machine.ts';

export interface Ragged {
  ids: Int32Array;
  positions: Int32Array;
  page: Int32Array;
  tables: Int32Array;
  units: Int32Array;
  /** [first row, length, start in the page table] of each sequence. */
  sequences: Int32Array;
  pages: number;
}

export function ragged(config: ModelConfig, sequences: readonly ArrayLike<number>[]): Ragged {
  const pageBytes = pageWords(config) * 4;
  const rows = sequences.reduce((sum, s) => sum + s.length, 0);
  const out = { ids: new Int32Array(rows), positions: new Int32Array(rows), page: new Int32Array(rows) };
  const [units, triples]: [number[], number[]] = [[], []];
  let [row, pages] = [0, 0];
  for (const sequence of sequences) {
    triples.push(row, sequence.length, pages);
    for (let i = 0; i < sequence.length; i++) {
      if (i % UNIT === 0) units.push(row + i, Math.min(UNIT, sequence.length - i), i, pages);
      out.ids[row + i] = sequence[i]!;
      out.positions[row + i] = i;
      out.page[row + i] = (pages + Math.floor(i / PAGE)) * pageBytes;
    }
    row += sequence.length;
    pages += Math.ceil(sequence.length / PAGE);
  }
  const tables = Int32Array.from({ length: pages }, (_, i) => i * pageBytes);
  return { ...out, tables, units: Int32Array.from(units), sequences: Int32Array.from(triples), pages };
}

export const raggedCounts = (batch: Ragged, groups: BatchCounts['groups']): BatchCounts => ({
  ...{ rows: batch.ids.length, units: batch.units.length / 4, tableWords: batch.tables.length, groups },
});

export function fillRagged(executor: Pick<Machine<never>, 'ints'>, plan: Plan, batch: Ragged): void {
  for (const name of ['ids', 'positions', 'page', 'tables', 'units', 'sequences'] as const) {
    if (plan.slots.has(name)) executor.ints(plan, name).set(batch[name]);
  }
}
