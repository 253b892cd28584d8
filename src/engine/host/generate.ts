// Generation of many sequences: admits them as pages allow, feeds prompts in chunks and decodes in the same batches,
// samples, and remembers finished sequences' pages. A batch is only a matter of speed: every row's numbers are its own.
// One run may decode several tokens a sequence (passes.ts); those beyond a sequence's end are thrown away.
import { CodedError } from '../../errors.ts';
import type { Plan } from '../plan/builder.ts';
import { generatePlan } from '../plan/forward.ts';
import type { RowGroup } from '../plan/layer.ts';
import { PAGE, UNIT } from '../plan/shape.ts';
import type { Generation, ModelConfig } from '../types.ts';
import { commonPrefix, type PagePool } from './kv.ts';
import type { Bind, Machine } from './machine.ts';
import { passesOf } from './passes.ts';
import type { Sequence, Share } from './sequence.ts';

const ACTIVE = 64; // sequences at once
const ROWS = 512; // rows of one batch, at most
const PLANS = 64;
const PLAN_OPS = 1 << 16; // of all plans kept
const YIELD_MS = 8;

export interface GenerateOptions {
  signal?: AbortSignal;
  onToken?: (index: number, id: number) => void;
}

/** What generation needs of a session. */
export interface GenerateHost<B> {
  config: ModelConfig;
  executor: Machine<B>;
  pool: PagePool;
  bind: Bind<B>;
  dtype: (name: string) => number;
  ensureRope(positions: number): void;
  plans: Map<string, Plan>;
  /** Tokens a sequence that one run may decode, of so many sequences. */
  passes: (rows: number) => number;
  /** Bytes that activations may take. */
  activationBytes: number;
  /** Rows of one batch: see rowsWithin. */
  readonly rows: number;
}

/** Rows of one batch, halved until its temporaries fit; a tenth is left to adapters. */
export function rowsWithin<B>(host: Pick<GenerateHost<B>, 'config' | 'dtype' | 'activationBytes'>): number {
  const { config, dtype, activationBytes } = host;
  let rows = ROWS;
  for (; rows > 1; rows /= 2) {
    const chosen = Math.min(ACTIVE, rows);
    const { words } = generatePlan(config, dtype, {
      ...{
        rows,
        units: rows,
        tableWords: chosen * Math.ceil(config.context / PAGE),
        groups: [{ row: 0, rows, lora: null }],
      },
      ...{ chosen, maskWords: Math.ceil((chosen * config.vocab) / 4), passes: 1 },
    });
    if (words * 4 <= 0.9 * activationBytes) break;
  }
  return rows;
}

export async function generate<B>(
  host: GenerateHost<B>,
  sequences: Sequence[],
  options: GenerateOptions,
): Promise<Generation[]> {
  const waiting = sequences.filter((sequence) => !sequence.done);
  let active: Sequence[] = [];
  let last = performance.now();
  try {
    while (active.length + waiting.length > 0) {
      if (options.signal?.aborted) {
        for (const sequence of [...active, ...waiting]) sequence.finish('aborted');
        break;
      }
      admit(host, waiting, active);
      for (const sequence of active) if (sequence.leader?.of.done) recall(host.pool, sequence);
      const shares = share(active, host.rows);
      const alone = waiting.length === 0 && shares.length === active.length;
      const ended = await step(host, shares, alone ? passesOf(shares, host.passes(shares.length)) : 1, options);
      for (const sequence of ended) retire(host, sequence);
      active = active.filter((sequence) => !sequence.done);
      if (performance.now() - last > YIELD_MS) {
        await macrotask();
        last = performance.now();
      }
    }
  } catch (error) {
    for (const { pages } of active) for (const page of pages.splice(0)) host.pool.drop(page);
    throw error;
  }
  for (const sequence of active) retire(host, sequence);
  return sequences.map(({ out }) => out);
}

/** Moves waiting sequences into the batch while there is room, with what is known of their beginnings. */
function admit({ pool }: Pick<GenerateHost<never>, 'pool'>, waiting: Sequence[], active: Sequence[]): void {
  let reserved = active.reduce((sum, sequence) => sum + sequence.mostPages, 0);
  while (waiting.length > 0 && active.length < ACTIVE) {
    const next = waiting[0]!;
    if (reserved + next.mostPages > pool.limit) {
      if (active.length > 0) return;
      throw new CodedError(
        'model/memory',
        `One sequence of ${next.mostPages * PAGE} tokens needs more memory than the budget allows.`,
        'Shorten the prompt, ask for fewer tokens, or raise the memory budget.',
      );
    }
    reserved += next.mostPages;
    waiting.shift();
    recall(pool, next);
    const known = next.ids.slice(0, -1);
    let [leader, common]: [Sequence | null, number] = [null, next.computed];
    for (const other of active) {
      if (other.key !== next.key || other.leader) continue;
      const shared = Math.floor(Math.min(other.prompt, commonPrefix(other.ids, known)) / PAGE) * PAGE;
      if (shared > common) [leader, common] = [other, shared];
    }
    if (leader) next.leader = { of: leader, tokens: common };
    active.push(next);
  }
}

/** Starts a sequence from the longest remembered beginning; also when its leader has left, and is now remembered. */
function recall(pool: PagePool, sequence: Sequence): void {
  const known = sequence.ids.slice(0, -1); // the last token is always computed: its logits are wanted
  const { pages, tokens } = pool.recall(sequence.key, known);
  sequence.leader = null;
  sequence.restart(pages, tokens, pool);
}

/** Which tokens the next batch computes. Sequences of one adapter lie together; a leader before its followers. */
function share(active: readonly Sequence[], rows: number): Share[] {
  const keys = [...new Set(active.map(({ key }) => key))];
  const sorted = keys.flatMap((key) => active.filter((sequence) => sequence.key === key));
  const planned = new Map<Sequence, number>();
  const shares: Share[] = [];
  let room = rows;
  for (const sequence of sorted) {
    if (room === 0) break;
    if (sequence.leader && (planned.get(sequence.leader.of) ?? sequence.leader.of.computed) < sequence.leader.tokens) {
      continue;
    }
    const start = sequence.leader?.tokens ?? sequence.computed;
    const tokens = Math.min(room, sequence.ids.length - start);
    planned.set(sequence, start + tokens);
    shares.push({ sequence, tokens });
    room -= tokens;
  }
  return shares;
}

/** Computes the shares; with more than one pass, also the tokens that follow. Returns who ended, in that order. */
async function step<B>(
  host: GenerateHost<B>,
  shares: Share[],
  passes: number,
  options: GenerateOptions,
): Promise<Sequence[]> {
  const { config, executor, pool, plans } = host;
  const groups: RowGroup[] = [];
  const [rows, units, tables, chosen]: [number[], number[], number[], Sequence[]] = [[], [], [], []];
  const chosenRows: number[] = [];
  let longest = 0;
  for (const { sequence, tokens } of shares) {
    const { leader } = sequence;
    if (leader) {
      sequence.restart(pool.borrow(leader.of.pages, leader.tokens), leader.tokens, pool);
      sequence.leader = null;
    }
    sequence.extend(tokens + passes - 1, pool);
    const group = groups.at(-1);
    const row = rows.length / 3;
    if (group && (group.lora?.buffer ?? '') === (sequence.lora?.buffer ?? '')) group.rows += tokens;
    else groups.push({ row, rows: tokens, lora: sequence.lora });
    for (let i = 0; i < tokens; i++) {
      const position = sequence.computed + i;
      if (i % UNIT === 0) units.push(row + i, Math.min(UNIT, tokens - i), position, tables.length);
      rows.push(sequence.ids[position]!, position, sequence.pages[Math.floor(position / PAGE)]!);
    }
    tables.push(...sequence.pages);
    sequence.computed += tokens;
    longest = Math.max(longest, sequence.computed);
    if (sequence.pending === 0) {
      chosenRows.push(row + tokens - 1);
      chosen.push(sequence);
    }
  }
  const count = rows.length / 3;
  for (let pass = 1; pass < passes; pass++) {
    chosen.forEach((sequence, row) => {
      const position = sequence.computed++;
      rows.push(0, position, sequence.pages[Math.floor(position / PAGE)]!);
      units.push(row, 1, position, units[row * 4 + 3]!);
      longest = Math.max(longest, sequence.computed);
    });
  }
  host.ensureRope(longest);
  const masks = chosen.map(({ request, out }) => request.mask?.(out.ids) ?? null);
  const counts = {
    ...{ rows: count, units: units.length / 4 / passes, tableWords: Math.ceil(tables.length / 64) * 64, groups },
    ...{ chosen: chosen.length, maskWords: Math.ceil((masks.filter(Boolean).length * config.vocab + 4) / 4), passes },
  };
  const key = JSON.stringify({ ...counts, groups: groups.map((g) => [g.row, g.rows, g.lora?.buffer]) });
  let plan = plans.get(key);
  if (!plan) {
    plan = generatePlan(config, host.dtype, counts);
    let ops = [...plans.values()].reduce((sum, old) => sum + old.ops.length, plan.ops.length);
    for (const [old, { ops: its }] of plans) {
      if (plans.size < PLANS && ops <= PLAN_OPS) break;
      plans.delete(old);
      ops -= its.length;
    }
    plans.set(key, plan);
  }
  executor.prepare(plan);
  const [ids, positions, page] = (['ids', 'positions', 'page'] as const).map((name) => executor.ints(plan, name));
  for (let i = 0; i < count * passes; i++) {
    if (i < count) ids![i] = rows[3 * i]!;
    positions![i] = rows[3 * i + 1]!;
    page![i] = rows[3 * i + 2]!;
  }
  executor.ints(plan, 'tables').set(tables);
  executor.ints(plan, 'units').set(units);
  if (chosen.length > 0) {
    executor.ints(plan, 'chosen').set(chosenRows);
    fillSampling(host, plan, chosen, masks);
    for (let pass = 1; pass < passes; pass++) {
      const parameters = executor.ints(plan, 'parameters');
      parameters.copyWithin(pass * chosen.length * 8, 0, chosen.length * 8);
      for (let i = 0; i < chosen.length; i++) parameters[(pass * chosen.length + i) * 8 + COUNTER]! += pass;
    }
    if (passes > 1) executor.ints(plan, 'next').set(chosen.map((_, i) => 4 * i));
  }
  await executor.run(plan, host.bind);
  return chosen.length > 0 ? collect(executor, plan, chosen, passes, options) : [];
}

const COUNTER = 5; // of a row's sampling parameters: tokens drawn so far

function fillSampling<B>(
  { executor, config }: GenerateHost<B>,
  plan: Plan,
  chosen: Sequence[],
  masks: (Uint8Array | null)[],
) {
  const ints = executor.ints(plan, 'parameters');
  const floats = executor.floats(plan, 'parameters');
  const maskWords = executor.ints(plan, 'masks');
  const maskBytes = new Uint8Array(maskWords.buffer, maskWords.byteOffset, maskWords.byteLength);
  let used = 0;
  chosen.forEach((sequence, i) => {
    const { topK, topP, seed } = sequence.request.sampling;
    const at = i * 8;
    floats[at] = sequence.temperature;
    ints[at + 1] = topK ?? 0;
    floats[at + 2] = topP ?? 0;
    ints[at + 3] = (seed % 2 ** 32) | 0;
    ints[at + 4] = Math.floor(seed / 2 ** 32) | 0;
    ints[at + COUNTER] = sequence.out.ids.length;
    const mask = masks[i];
    ints[at + 6] = mask ? used : -1;
    if (mask) {
      maskBytes.set(mask.subarray(0, config.vocab), used);
      used += config.vocab;
    }
  });
}

function collect(
  executor: Pick<Machine<never>, 'ints'>,
  plan: Plan,
  chosen: Sequence[],
  passes: number,
  options: GenerateOptions,
): Sequence[] {
  const ints = executor.ints(plan, 'results').slice();
  const floats = new Float32Array(ints.buffer);
  const drawn = chosen.map(({ temperature }) => temperature);
  const ended: Sequence[] = [];
  for (let row = 0; row < passes * chosen.length; row++) {
    const sequence = chosen[row % chosen.length]!;
    // Drawn after its end, or at a temperature that a token before has changed.
    if (sequence.done || sequence.temperature !== drawn[row % chosen.length]) continue;
    const id = ints[row * 4]!;
    if (id === -1) {
      throw new CodedError(
        'model/nan',
        'The model computed a logit that is not a number.',
        'The weights or the adapter are damaged, or training has diverged: go back to an earlier adapter.',
      );
    }
    if (id < 0) throw new CodedError('model/mask', 'The mask allows no token at all.');
    sequence.append(id, floats[row * 4 + 1]!, floats[row * 4 + 2]!);
    options.onToken?.(sequence.index, id);
    if (sequence.done) ended.push(sequence);
  }
  for (const sequence of chosen) sequence.rewind();
  return ended;
}

function retire({ pool }: Pick<GenerateHost<never>, 'pool'>, sequence: Sequence): void {
  for (const page of sequence.pages.splice(Math.ceil(sequence.computed / PAGE))) pool.drop(page); // taken ahead
  const pages = sequence.pages.splice(0);
  if (sequence.computed > 0) pool.remember(sequence.key, sequence.ids.slice(0, sequence.computed), pages);
}

/** Lets timers, messages and Ctrl-C through. */
export const macrotask = (): Promise<void> =>
  typeof setImmediate === 'function'
    ? new Promise((resolve) => void setImmediate(resolve))
    : new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (port1.close(), resolve());
        port2.postMessage(null);
      });
