// Log-probabilities of given sequences, in batches of bounded size. No sampling, no key-value cache.
import { CodedError } from '../../errors.ts';
import { scorePlan } from '../plan/forward.ts';
import type { LoraUse } from '../plan/layer.ts';
import { pad8 } from '../plan/shape.ts';
import type { TokenScores } from '../types.ts';
import { type GenerateHost, macrotask } from './generate.ts';
import { fillRagged, ragged, raggedCounts } from './ragged.ts';

const ROWS = 2048;

export async function score<B>(
  host: GenerateHost<B>,
  sequences: readonly ArrayLike<number>[],
  lora: LoraUse | null,
  wantLast: boolean,
): Promise<TokenScores[]> {
  const out: TokenScores[] = [];
  for (let from = 0; from < sequences.length;) {
    let [to, rows] = [from, 0];
    while (to < sequences.length && (to === from || rows + sequences[to]!.length <= ROWS))
      rows += sequences[to++]!.length;
    const within = (count: number) => planFor(host, sequences.slice(from, from + count), lora, wantLast).plan.words * 4;
    while (to - from > 1 && within(to - from) > host.activationBytes) to = from + ((to - from) >> 1);
    out.push(...(await scoreBatch(host, sequences.slice(from, to), lora, wantLast)));
    from = to;
    if (from < sequences.length) await macrotask();
  }
  return out;
}

function planFor<B>(
  { config, dtype }: GenerateHost<B>,
  sequences: ArrayLike<number>[],
  lora: LoraUse | null,
  wantLast: boolean,
) {
  const batch = ragged(config, sequences);
  const plan = scorePlan(config, dtype, {
    ...raggedCounts(batch, [{ row: 0, rows: batch.ids.length, lora }]),
    ...{ pages: batch.pages, last: wantLast ? sequences.length : 0 },
  });
  return { batch, plan };
}

async function scoreBatch<B>(
  host: GenerateHost<B>,
  sequences: ArrayLike<number>[],
  lora: LoraUse | null,
  wantLast: boolean,
): Promise<TokenScores[]> {
  const { config, executor, bind, ensureRope } = host;
  ensureRope(Math.max(...sequences.map((s) => s.length)));
  const { batch, plan } = planFor(host, sequences, lora, wantLast);
  executor.prepare(plan);
  fillRagged(executor, plan, batch);
  const targets = executor.ints(plan, 'targets');
  targets.fill(-1);
  const starts: number[] = [];
  let row = 0;
  for (const sequence of sequences) {
    starts.push(row);
    for (let i = 1; i < sequence.length; i++) targets[row + i - 1] = sequence[i]!;
    row += sequence.length;
  }
  if (wantLast) executor.ints(plan, 'lastRows').set(sequences.map((s, i) => starts[i]! + s.length - 1));
  await executor.run(plan, bind);
  const [logps, lses] = [executor.floats(plan, 'logps'), executor.floats(plan, 'lses')];
  return sequences.map((sequence, i) => {
    const start = starts[i]!;
    const logsumexp = lses.slice(start, start + sequence.length);
    if (logsumexp.some(Number.isNaN)) {
      throw new CodedError(
        'model/nan',
        'The model computed a logit that is not a number.',
        'Go back to other weights.',
      );
    }
    const scores: TokenScores = { logprobs: logps.slice(start, start + sequence.length - 1), logsumexp };
    const ld = pad8(config.vocab);
    if (wantLast) scores.last = executor.floats(plan, 'last').slice(i * ld, i * ld + config.vocab);
    return scores;
  });
}
