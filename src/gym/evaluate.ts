// A checkpoint: held-out instances, the same for every arm and checkpoint, played strictly. Reads memory, writes none.
import type { Game, Role, Split } from '../../games/contract.ts';
import type { Checkpoint, EpisodeEvent } from '../log/events.ts';
import type { LanguageModel, ModelCard } from '../models/types.ts';
import type { MaskMode } from './answer.ts';
import { splitContext, type Budget } from './budget.ts';
import type { RunConfig } from './config.ts';
import type { GameHost } from './host.ts';
import { playEpisodes, type EpisodePlan, type PlayHooks, type PlayRules } from './play.ts';
import type { Arm, GymItem } from './plugin.ts';
import type { Progress } from './progress.ts';
import type { Recorder } from './recorder.ts';
import type { StartFrom } from './startFrom.ts';
import { heldOutDecodeSeed, heldOutSeed } from './seeds.ts';

/** What every part of a run needs. */
export interface Run {
  config: RunConfig;
  model: LanguageModel;
  /** Who judges in a judge pass. */
  judge: LanguageModel;
  host: GameHost;
  recorder: Recorder;
  progress: Progress;
  budget: Budget;
  from: StartFrom | null;
  signal?: AbortSignal;
}

export interface Place {
  game: Game;
  runSeed: number;
}

export interface Evaluation extends Place {
  pathway: string;
  /** null: nothing learned, no hints (x = 0). */
  arm: Arm | null;
  x: number;
  split: Split;
  role: Role & ('strict' | 'development');
  replicates: number;
  instances?: number;
  temperature?: number;
  adapter?: string | null;
}

/** Claims rest on strict instances; settings are chosen on development ones. */
export const heldOutRole = (config: RunConfig) => config.text('heldOut') as 'strict' | 'development';

export function playRules({ config, model, budget }: Pick<Run, 'config' | 'model' | 'budget'>): PlayRules {
  return {
    shares: splitContext(model.card.context, config.number('inputTokens'), config.number('outputTokens')),
    greedyScore: config.flag('greedyScore'),
    maskMode: maskModeOf(config.text('constrain'), model.card),
    budget,
    width: 32,
  };
}

/** Models made for these games are the only ones so small, and write the form by themselves. */
const MADE_FOR_THIS = 1e7;
/** Larger ones keep to a form that they are told. */
const FOLLOWS = 1e9;

function maskModeOf(setting: string, { kind, parameters }: ModelCard): MaskMode {
  if (setting !== 'auto') return setting as MaskMode;
  return kind !== 'scripted' && parameters >= MADE_FOR_THIS && parameters < FOLLOWS ? 'actions' : 'off';
}

/** Plays (or reads) the episodes of one checkpoint; returns its first replicate's checkpoint event. */
export async function* evaluate(run: Run, what: Evaluation): AsyncGenerator<GymItem, Checkpoint> {
  const { config, recorder } = run;
  const { game, runSeed, pathway, arm, x, split, role, replicates } = what;
  const count = what.instances ?? config.number('strict');
  const temperature = what.temperature ?? arm?.temperature?.() ?? config.number('temperature');
  const plans: EpisodePlan[] = [];
  for (let replicate = 0; replicate < replicates; replicate++) {
    for (let index = 0; index < count; index++) {
      plans.push({
        runSeed,
        pathway,
        game: game.id,
        preset: config.preset,
        phase: 'strict',
        role,
        split,
        options: config.optionsOf(game),
        replicate,
        index,
        seed: heldOutSeed(runSeed, game.id, role, split, index),
        decodeSeed: (instance) => heldOutDecodeSeed(instance, replicate, game.rolesExempt ? index : 0),
        temperature,
        checkpoint: x,
        adapter: what.adapter !== undefined ? what.adapter : (arm?.adapter?.() ?? null),
        memory: arm?.memory?.() ?? null,
        blocks: arm?.blocks?.() ?? {},
      });
    }
  }
  yield {
    live: {
      kind: 'stage',
      stage: 'evaluate',
      pathway,
      game: game.id,
      runSeed,
      x,
      sentence: `${count} held-out instances, played strictly; nothing of them is remembered.`,
    },
  };
  const hooks = { readsExpert: false, readsReward: false };
  const episodes: EpisodeEvent[] = [];
  let first: Checkpoint | null = null;
  for await (const item of recordedEpisodes(run, plans, hooks)) {
    if ('event' in item || 'live' in item) {
      yield item;
      continue;
    }
    episodes.push(item.episode);
    if (episodes.length % count === 0) {
      const replicate = episodes.length / count - 1;
      const own = episodes.slice(-count);
      const failed = own.find((episode) => episode.endReason === 'failed');
      const event: Checkpoint = yield* recorder.record('checkpoint', async () => ({
        draft: {
          type: 'checkpoint',
          game: game.id,
          runSeed,
          pathway,
          x,
          split,
          role,
          replicate,
          episodes: own.map((episode) => episode.n),
          scores: own.map((episode) => episode.score),
          ...(failed ? { failed: failed.failure?.message ?? 'an episode failed' } : {}),
        },
      }));
      first ??= event;
    }
  }
  return first!;
}

/** Episodes from the log while it has them, then played ones; each is in the log before it is passed on. */
export async function* recordedEpisodes(
  run: Run,
  plans: readonly EpisodePlan[],
  hooks: PlayHooks,
): AsyncGenerator<GymItem | { episode: EpisodeEvent }, void> {
  const { recorder, progress } = run;
  // Replicates end in a checkpoint event, so the log must be read episode by episode, as it was written.
  let at = 0;
  while (at < plans.length && !recorder.journal.exhausted) {
    const plan = plans[at]!;
    const { pathway, index, seed, replicate } = plan;
    const event = recorder.journal.take(
      'episode',
      (logged) =>
        logged.pathway === pathway && logged.index === index && logged.seed === seed && logged.replicate === replicate,
    )!;
    at += 1;
    await recorder.audit?.episode(event, plan, hooks, playRules(run));
    yield { live: progress.tick(true) };
    yield { episode: event };
  }
  for await (const item of playEpisodes(plans.slice(at), hooks, run.model, run.host, playRules(run), run.signal)) {
    if ('live' in item) {
      yield item;
      continue;
    }
    const stored = recorder.episode(item.played);
    yield stored;
    yield { live: progress.tick(false) };
    yield { episode: stored.event };
  }
}
