// One arm of a run: it explores for itself, learns by its own hooks, and is measured at every checkpoint.
import { configOf } from '../../games/instance.ts';
import { CodedError } from '../errors.ts';
import { countParts, hintRoom, splitContext } from './budget.ts';
import { evaluate, heldOutRole, playRules, recordedEpisodes, type Place, type Run } from './evaluate.ts';
import { experienceView } from './experience.ts';
import { judgeAll } from './judging.ts';
import type { EpisodePlan } from './play.ts';
import type { Arm, ArmContext, ArmEvent, GymItem, Produce } from './plugin.ts';
import { actionPrompt, pocketHead } from './prompts.ts';
import type { ResolvedArm } from './registry.ts';
import { exploreDecodeSeed, exploreSeed, namedSeed } from './seeds.ts';

export async function* runArm(run: Run, place: Place, resolved: ResolvedArm): AsyncGenerator<GymItem, void> {
  const arm = await openArm(run, place, resolved);
  const saved = new Set<string>();
  yield* exploreAndMeasure(run, place, resolved, arm, saved);
  // No episode of this arm is to come. What the run started from is every arm's beginning, and stays.
  if (run.from?.adapter) saved.delete(run.from.adapter.hash);
  for (const hash of saved) await run.model.training?.release(hash);
}

/** `saved` gathers the adapters that it made. */
async function* exploreAndMeasure(
  run: Run,
  place: Place,
  resolved: ResolvedArm,
  arm: Arm,
  saved: Set<string>,
): AsyncGenerator<GymItem, void> {
  const { config, recorder } = run;
  const { game } = place;
  const produce: Produce = async function* (type, make) {
    const event = yield* recorder.record(type, make);
    const own: ArmEvent = event;
    if (own.type === 'adapter.saved') saved.add(own.before).add(own.hash);
    await arm.absorb?.(own);
    return event;
  };
  const checkpoint = async function* (x: number): AsyncGenerator<GymItem, void> {
    for (const split of config.splitsOf(game)) {
      yield* evaluate(run, {
        ...place,
        pathway: resolved.name,
        arm,
        x,
        split,
        role: heldOutRole(config),
        replicates: config.number('replicates'),
      });
    }
  };
  if (arm.prepare) yield* arm.prepare(produce);
  if (resolved.spec.explores === false) {
    yield* checkpoint(0);
    return;
  }
  // What it starts from is measured before it learns more.
  if (run.from) yield* checkpoint(0);
  const every = config.number('every');
  const explore = config.number('explore');
  for (let x = 0; x < explore;) {
    // A block ends where a checkpoint is due.
    const end = Math.min(explore, (Math.floor(x / every) + 1) * every);
    const until = arm.blockwise ? end : x + 1;
    if (arm.beforeExplore) yield* arm.beforeExplore(produce, x);
    yield stage(place, resolved, x);
    yield* exploreBlock(run, place, resolved, arm, x, until);
    x = until;
    if (arm.afterExplore) yield* arm.afterExplore(produce, x);
    if (x === end) {
      if (arm.beforeCheckpoint) yield* arm.beforeCheckpoint(produce, x);
      yield* checkpoint(x);
    }
  }
}

/** The arm as it begins. Errors: settings/no-room when its prompts cannot hold what they must. */
export async function openArm(run: Run, place: Place, resolved: ResolvedArm): Promise<Arm> {
  const context = await armContext(run, place, resolved);
  const arm = resolved.create(context);
  if (arm.blocks && context.hintTokens === 0) {
    throw noRoom(`${place.game.title}: rules and an episode leave no room for what ${resolved.name} remembers`);
  }
  return arm;
}

const noRoom = (what: string) =>
  new CodedError('settings/no-room', what, 'raise inputTokens, or choose a model that reads more');

const stage = ({ game, runSeed }: Place, { name }: ResolvedArm, x: number): GymItem => ({
  live: {
    kind: 'stage',
    stage: 'explore',
    pathway: name,
    game: game.id,
    runSeed,
    x,
    sentence: 'It plays the permissive version, and says with every action how many points it expects.',
  },
});

async function* exploreBlock(
  run: Run,
  { game, runSeed }: Place,
  resolved: ResolvedArm,
  arm: Arm,
  from: number,
  until: number,
): AsyncGenerator<GymItem, void> {
  const { config, recorder } = run;
  const plans: EpisodePlan[] = [];
  for (let index = from; index < until; index++) {
    plans.push({
      runSeed,
      pathway: resolved.name,
      game: game.id,
      preset: config.preset,
      phase: 'explore',
      role: 'exploration',
      split: 'strict',
      options: config.optionsOf(game),
      replicate: 0,
      index,
      seed: exploreSeed(runSeed, game.id, index),
      decodeSeed: () => exploreDecodeSeed(runSeed, game.id, index),
      temperature: config.number('exploreTemperature'),
      checkpoint: index,
      adapter: arm.adapter?.() ?? null,
      memory: arm.memory?.() ?? null,
      blocks: arm.blocks?.() ?? {},
    });
  }
  const hooks = {
    ...(arm.act ? { act: arm.act.bind(arm) } : {}),
    ...(arm.judge ? { judge: arm.judge.bind(arm) } : {}),
    ...(arm.judgeSteps ? { judgeSteps: arm.judgeSteps.bind(arm) } : {}),
    readsExpert: resolved.reads.includes('expert'),
    readsReward: resolved.reads.includes('verifierReward'),
  };
  for await (const item of recordedEpisodes(run, plans, hooks)) {
    if (!('episode' in item)) {
      yield item;
      continue;
    }
    const { episode } = item;
    if (episode.endReason === 'failed') continue;
    arm.experience?.(experienceView(episode, recorder.texts(episode), resolved.reads));
  }
}

async function armContext(run: Run, place: Place, resolved: ResolvedArm): Promise<ArmContext> {
  const { config, model, recorder } = run;
  const { game, runSeed } = place;
  const gameConfig = configOf(game, {
    preset: config.preset,
    phase: 'explore',
    seed: 0,
    options: config.optionsOf(game),
  });
  const rules = game.rules(gameConfig);
  const { shares, budget } = playRules(run);
  const start = await run.host.reset({
    game: game.id,
    preset: config.preset,
    phase: 'explore',
    seed: exploreSeed(runSeed, game.id, 0),
    options: config.optionsOf(game),
  });
  await run.host.release(start.id);
  const first = await countParts(actionPrompt(config.preset, rules, {}, [], start.observation), model);
  if (first > shares.prompt) {
    throw noRoom(`${game.title}: rules and first state take ${first} of ${shares.prompt} tokens`);
  }
  const firstTurn = { role: 'user', text: '', plain: `\nEnv: ${start.observation}\nLLM:` } as const;
  const hintTokens =
    config.preset === 'pocket'
      ? await hintRoom(pocketHead(rules, { hints: 'x' }), firstTurn, start.stepCap, shares, model)
      : shares.whole - first;
  return {
    name: resolved.name,
    game: game.id,
    preset: config.preset,
    runSeed,
    settings: config.settings,
    config: gameConfig,
    rules,
    guidance: resolved.reads.includes('expert') ? game.guidance(gameConfig) : null,
    reads: resolved.reads,
    from: { adapter: run.from?.adapter?.hash ?? null, memory: run.from?.memory ?? null },
    hintTokens,
    answerTokens: (tokens) => splitContext(model.card.context, config.number('inputTokens'), tokens).answer,
    budget,
    seed: (...names) => namedSeed(runSeed, game.id, resolved.name, ...names),
    call: (requests) =>
      model.complete(
        requests.map((request) => ({ ...request, adapter: request.adapter ?? null })),
        run.signal,
      ),
    judge: (proposals) => judgeAll(proposals, run.judge, run.signal),
    write: (blocks, text) => recorder.writer.step(blocks, text),
    countTokens: (texts) => model.countTokens(texts),
    pieces: (sequences) => model.pieces(sequences),
    parameters: model.card.parameters,
    training: model.training ?? null,
    blob: (hash) => recorder.blob(hash),
    async *develop({ temperature, adapter, count }) {
      if (!resolved.reads.includes('verifierOutcome')) {
        throw new CodedError(
          'plugin/not-allowed',
          `${resolved.name} does not read verifierOutcome`,
          'name it in the manifest',
        );
      }
      const event = yield* evaluate(run, {
        ...place,
        pathway: resolved.name,
        arm: null,
        x: 0,
        split: 'strict',
        role: 'development',
        replicates: 1,
        instances: count,
        ...(temperature === undefined ? {} : { temperature }),
        ...(adapter === undefined ? {} : { adapter }),
      });
      return event.scores.reduce((sum, score) => sum + score, 0) / event.scores.length;
    },
  };
}
