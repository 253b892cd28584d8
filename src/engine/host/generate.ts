// Generation of many sequences: admits them as pages allow, feeds prompts in chunks and decodes in the same batches,
// samples, and remembers finished sequences' pages. A batch is only a matter of speed: every row's numbers are its own.
import { CodedError } from '../../errors.ts';
import type { Plan } from '../plan/builder.ts';
import { generatePlan, pageWords } from '../plan/forward.ts';
import type { RowGroup } from '../plan/layer.ts';
import { PAGE, UNIT } from '../plan/shape.ts';
import type { Generation, GenerateRequest, ModelConfig } from '../types.ts';
import { commonPrefix, type PagePool } from './kv.ts';
import type { Bind, Machine } from './machine.ts';
import { Sequence } from './sequence.ts';

const ACTIVE = 64; // sequences at once
const ROWS = 512; // rows of one batch: bounds the activations
const PLANS = 64;
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
}

/** One step's part of a sequence. */
interface Share {
  sequence: Sequence;
  tokens: number;
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
      const shares = share(active);
      await step(host, shares, options);
      for (const sequence of active) if (sequence.done) retire(host, sequence);
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
function share(active: readonly Sequence[]): Share[] {
  const keys = [...new Set(active.map(({ key }) => key))];
  const sorted = keys.flatMap((key) => active.filter((sequence) => sequence.key === key));
  const planned = new Map<Sequence, number>();
  const shares: Share[] = [];
  let room = ROWS;
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

async function step<B>(host: GenerateHost<B>, shares: Share[], options: GenerateOptions): Promise<void> {
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
    sequence.extend(tokens, pool);
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
  host.ensureRope(longest);
  const masks = chosen.map(({ request, out }) => request.mask?.(out.ids) ?? null);
  const counts = {
    ...{ rows: rows.length / 3, units: units.length / 4, tableWords: Math.ceil(tables.length / 64) * 64, groups },
    ...{ chosen: chosen.length, maskWords: Math.ceil((masks.filter(Boolean).length * config.vocab + 4) / 4) },
  };
  const key = JSON.stringify({ ...counts, groups: groups.map((g) => [g.row, g.rows, g.lora?.buffer]) });
  let plan = plans.get(key);
  if (!plan) {
    plan = generatePlan(config, host.dtype, counts);
    if (plans.size >= PLANS) plans.delete(plans.keys().next().value!);
    plans.set(key, plan);
  }
  executor.prepare(plan);
  const [ids, positions, page] = (['ids', 'positions', 'page'] as const).map((name) => executor.ints(plan, name));
  for (let i = 0; i < counts.rows; i++) {
    ids![i] = rows[3 * i]!;
    positions![i] = rows[3 * i + 1]!;
    page![i] = rows[3 * i + 2]!;
  }
  executor.ints(plan, 'tables').set(tables);
  executor.ints(plan, 'units').set(units);
  if (chosen.length > 0) {
    executor.ints(plan, 'chosen').set(chosenRows);
    fillSampling(host, plan, chosen, masks);
  }
  await executor.run(plan, host.bind);
  if (chosen.length > 0) collect(executor, plan, chosen, options);
}

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
    ints[at + 5] = sequence.out.ids.length;
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
  options: GenerateOptions,
): void {
  const ints = executor.ints(plan, 'results').slice();
  const floats = new Float32Array(ints.buffer);
  chosen.forEach((sequence, i) => {
    const id = ints[i * 4]!;
    if (id === -1) {
      throw new CodedError(
        'model/nan',
        'The model computed a logit that is not a number.',
        'The weights or the adapter are damaged, or training has diverged: go back to an earlier adapter.',
      );
    }
    if (id < 0) throw new CodedError('model/mask', 'The mask allows no token at all.');
    sequence.append(id, floats[i * 4 + 1]!, floats[i * 4 + 2]!);
    options.onToken?.(sequence.index, id);
  });
}

function retire({ pool }: Pick<GenerateHost<never>, 'pool'>, sequence: Sequence): void {
  const pages = sequence.pages.splice(0);
  if (sequence.computed > 0) pool.remember(sequence.key, sequence.ids.slice(0, sequence.computed), pages);
}

/** Sequences of the requests, checked. Errors: model/context, model/token. */
export function checkRequests(config: ModelConfig, requests: readonly GenerateRequest[]): void {
  requests.forEach(({ ids, sampling, tokenText }, i) => {
    checkIds(config, ids, `prompt ${i}`);
    if ((sampling.stop?.length || sampling.greedyAfter !== undefined) && !tokenText) {
      throw new CodedError('model/request', 'stop and greedyAfter need tokenText.');
    }
  });
}

export function checkIds(config: ModelConfig, ids: ArrayLike<number>, what: string): void {
  if (ids.length === 0) throw new CodedError('model/empty', `${what} has no tokens.`);
  if (ids.length > config.context) {
    const hint = 'Shorten it: drop history, or choose a model with a longer context.';
    throw new CodedError('model/context', `${what} has ${ids.length} tokens; the model takes ${config.context}.`, hint);
  }
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (!Number.isInteger(id) || id < 0 || id >= config.vocab) {
      throw new CodedError('model/token', `${what} holds ${id}, which is no token of this model.`);
    }
  }
}

/** Pages that a budget allows for keys and values. */
export const pageLimit = (config: ModelConfig, bytes: number): number =>
  Math.max(4, Math.floor(bytes / (pageWords(config) * config.layers * 4)));

/** Lets timers, messages and Ctrl-C through. */
export const macrotask = (): Promise<void> =>
  typeof setImmediate === 'function'
    ? new Promise((resolve) => void setImmediate(resolve))
    : new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (port1.close(), resolve());
        port2.postMessage(null);
      });
