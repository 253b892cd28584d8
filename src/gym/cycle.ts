// One run, from run.opened to run.closed: Explore -> Judge -> Consolidate -> Update -> Evaluate, for each seed, game and
// arm. An async generator of things to store and things to show: to pause is not to pull, to stop is to return.
// Names no pathway; changes no state but through events, so that resuming is reading the log.
import type { Game } from '../../games/contract.ts';
import { CodedError } from '../errors.ts';
import { hashText } from '../hash.ts';
import { timeless } from '../log/chain.ts';
import type { JsonValue } from '../log/events.ts';
import type { LanguageModel } from '../models/types.ts';
import { CODE_VERSION } from '../version.ts';
import { tokenBudget } from './budget.ts';
import { checkModel, loggedConfig, type RunConfig } from './config.ts';
import type { GameHost } from './host.ts';
import { openArm, runArm } from './arm.ts';
import { evaluate, heldOutRole } from './evaluate.ts';
import type { GymItem } from './plugin.ts';
import { Progress } from './progress.ts';
import { promptHashes } from './prompts.ts';
import { Recorder, type Audited } from './recorder.ts';
import { blobsOf, describeFrom, type StartFrom } from './startFrom.ts';
import { baselineArm } from './registry.ts';
import type { RunEvent } from '../log/events.ts';

export interface RunInput {
  config: RunConfig;
  model: LanguageModel;
  /** Another model that judges (setting `judge`); absent: the model itself. */
  judge?: LanguageModel;
  host: GameHost;
  /** Events already in the log; [] for a new run. */
  past: readonly RunEvent[];
  /** A blob stored by an earlier event, or null. */
  readBlob(hash: string): Promise<Uint8Array | null>;
  /** Everything that `run.closed` says: folds the events (src/report). Given from outside so that gym needs no baselines. */
  report(events: readonly RunEvent[]): { report: JsonValue; ledger: JsonValue };
  signal?: AbortSignal;
  /** What the arms start from instead of nothing: an adapter or a memory of another run. */
  from?: StartFrom | null;
  /** Present where a finished log is played again, to be checked (audit.ts). */
  audited?: Audited;
}

/** Errors: what model, host and plug-ins throw; settings/no-room; log/not-this-run when `past` is another run's. */
export async function* cycle(input: RunInput): AsyncGenerator<GymItem, void> {
  const { config, model, host, audited } = input;
  checkModel(config, model);
  const recorder = new Recorder(input.past, input.readBlob, audited);
  if (input.past.length > 0 && !audited) yield recorder.append({ type: 'run.resumed' });
  yield* opened(input, recorder);
  if (input.from?.adapter) {
    if (!model.training)
      throw new CodedError('model/cannot-train', `${model.card.title} takes no adapter`, 'choose another model');
    const { config: peft, tensors } = input.from.adapter;
    await model.training.load({ config: peft, tensors });
  }
  const progress = new Progress(config, input.from !== undefined && input.from !== null);
  const run = {
    config,
    model,
    host,
    recorder,
    progress,
    from: input.from ?? null,
    judge: input.judge ?? model,
    budget: audited?.budget ?? tokenBudget(model),
    ...(input.signal ? { signal: input.signal } : {}),
  };
  // Refused before anything is played, not after the first arms.
  for (const game of config.games) {
    for (const arm of config.arms) await openArm(run, { game, runSeed: config.seeds[0]! }, arm);
  }
  for (const runSeed of config.seeds) {
    for (const game of config.games) {
      const place = { game, runSeed };
      const baseline = baselineArm();
      // x = 0 is played once, with no hints at all, and shared by all arms.
      const wanted = config.arms.some((arm) => arm.name === baseline.name);
      const replicates = wanted ? config.number('frozenReplicates') : config.number('replicates');
      for (const split of config.splitsOf(game)) {
        const role = heldOutRole(config);
        yield* evaluate(run, { ...place, pathway: baseline.name, arm: null, x: 0, split, role, replicates });
      }
      for (const arm of config.arms) {
        if (arm.name !== baseline.name) yield* runArm(run, place, arm);
      }
    }
  }
  yield* recorder.record('run.closed', async () => ({
    draft: { type: 'run.closed', reason: 'done', ...input.report(recorder.events) },
  }));
}

/** Closes a log that a person stopped: what was measured so far stays, with its report. */
export function closeStopped(events: readonly RunEvent[], report: RunInput['report']): RunEvent {
  const recorder = new Recorder(events, async () => null);
  const item = recorder.append({ type: 'run.closed', reason: 'stopped', ...report(events) });
  return item.event;
}

async function* opened(
  { config, model, judge, from, audited }: RunInput,
  recorder: Recorder,
): AsyncGenerator<GymItem, void> {
  const arms = config.arms.map(({ name, title, plugin, spec, reads, label }) => ({
    name,
    plugin: plugin.manifest.name,
    version: plugin.manifest.version,
    reads: [...reads],
    label,
    controls: [...spec.controls],
    title,
    family: spec.family ?? spec.name,
    control: spec.control === true,
    explores: spec.explores !== false,
    ...(spec.note === undefined ? {} : { note: spec.note }),
  }));
  const { kind, parameters, context, layout } = model.card;
  const hashes = {
    model: model.card.hash,
    ...(judge && config.judgeModel !== null ? { judge: judge.card.hash } : {}),
    tokenizer: model.card.tokenizerHash,
    prompts: promptHashes,
    games: Object.fromEntries(config.games.map((game) => [game.id, rulesHash(game, config)])),
    code: CODE_VERSION,
  };
  const event = yield* recorder.record('run.opened', async () => ({
    draft: {
      type: 'run.opened',
      format: 1,
      config: loggedConfig(config.settings),
      seeds: config.seeds,
      hashes,
      model: { kind, parameters, context, layout },
      arms,
      ...(from ? { from: describeFrom(from) } : {}),
      host: { model: model.card.title, engine: model.card.engine },
    },
    blobs: blobsOf(from ?? null),
  }));
  if (audited) return;
  const facts = { config: loggedConfig(config.settings), arms, hashes };
  for (const [what, mine] of Object.entries(facts)) {
    const logged = event[what as keyof typeof facts];
    if (timeless(logged) === timeless(mine)) continue;
    const differs = Object.keys({ ...logged, ...mine }).find(
      (key) => timeless(Reflect.get(logged, key) ?? null) !== timeless(Reflect.get(mine, key) ?? null),
    );
    throw new CodedError('log/not-this-run', `the log was made with another ${what}: ${differs}`, 'start a new run');
  }
}

const rulesHash = (game: Game, { preset }: RunConfig) =>
  hashText((['explore', 'strict'] as const).map((phase) => game.rules(game.configs[preset][phase])).join('\n'));
