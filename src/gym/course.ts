// The course of a logged run, computed anew line by line: plans, seeds, prompts, plays, judgements, memories, choices and
// checkpoints come out of the run's own code, fed with the log's answers, and are held against the log. Names no arm.
import { toErrorValue } from '../errors.ts';
import type { AdapterSaved, Consolidation, EpisodeEvent, RunEvent, RunOpened } from '../log/events.ts';
import { PromptReader } from '../log/prompts.ts';
import type { ModelCard, ModelText } from '../models/types.ts';
import { playAgain, type Audit } from './audit.ts';
import { sameIds, unequal, type Differ } from './difference.ts';
import { localGameHost } from './host.ts';
import { playEpisodes, type EpisodePlan, type PlayedEpisode, type PlayHooks, type PlayRules } from './play.ts';
import type { Made } from './plugin.ts';
import { callAnswers, judgeAnswers, LoggedBudget, RecordedModel, stepAnswers } from './recorded.ts';
import { beginningOf } from './startFrom.ts';

/** `text`: the tokenizer of the run's model, else null. Throws nothing: what cannot be played again is a difference. */
export async function verifyCourse(
  events: readonly RunEvent[],
  text: ModelText | null,
  readBlob: (hash: string) => Promise<Uint8Array | null>,
  differ: Differ,
): Promise<void> {
  const [opened] = events;
  if (opened?.type !== 'run.opened') return;
  const course = new Course(opened, text, differ);
  const { model, judge, budget } = course;
  await course.reporting(0, async () => {
    const input = {
      model,
      judge,
      ...(text ? {} : { budget }),
      from: await beginningOf(events, readBlob),
      // No weights are needed here; whether the blobs are there is a question by itself (verify.ts).
      readBlob: async () => new Uint8Array(),
    };
    await playAgain(events, input, course);
  });
}

class Course implements Audit {
  readonly model: RecordedModel;
  readonly judge: RecordedModel;
  readonly budget = new LoggedBudget();
  private readonly reader = new PromptReader();
  /** Number of the line that was looked at last. */
  private at = 0;
  /** Lines whose fault was named. */
  private readonly faulty = new Set<number>();
  private readonly text: ModelText | null;
  private readonly differ: Differ;

  constructor(opened: RunOpened, text: ModelText | null, differ: Differ) {
    const card = cardOf(opened);
    this.text = text;
    this.differ = differ;
    this.model = new RecordedModel({ card, text });
    // Of another model that judges, the tokenizer is not known.
    this.judge = new RecordedModel({ card, text: opened.hashes.judge === undefined ? text : null });
  }

  async made(logged: RunEvent, make: () => Promise<Made>) {
    // What the closing line says is folded from the log alone (verify.ts).
    if (logged.type === 'run.closed') return;
    await this.reporting(logged.n, async () => {
      const prompts = this.reader.texts(logged);
      if (logged.type === 'consolidation') {
        this.model.turnTo(callAnswers(logged, prompts));
        this.budget.turnTo(logged);
      } else if (logged.type === 'adapter.saved') this.model.turnToTraining(logged);
      const { draft } = await make();
      this.compare(logged.n, comparable(logged), this.claimed(logged, draft as RunEvent));
    });
  }

  async episode(logged: EpisodeEvent, plan: EpisodePlan, hooks: PlayHooks, rules: PlayRules) {
    await this.reporting(logged.n, async () => {
      const prompts = this.reader.episode(logged);
      // A game that hung once may hang again: of a failed episode the plan is checked, and no score comes of it.
      if (logged.endReason === 'failed') return this.compare(logged.n, planOf(logged), planOf(plan));
      this.model.turnTo(stepAnswers(logged, prompts), logged.endReason === 'context' ? 'context' : 'stop');
      this.judge.turnTo(judgeAnswers(logged));
      this.budget.turnTo(logged);
      const played = await playOne(plan, hooks, this.model, rules);
      const told = logged.steps.map(({ prompt: _, promptTokens: __, ...step }) => step);
      const again = played.steps.map(({ promptText: _, promptIds: __, promptBlocks: ___, ...step }) => step);
      this.compare(logged.n, { ...comparable(logged), steps: told }, { ...played, steps: again });
      for (const [i, { text, ids }] of prompts.slice(0, played.steps.length).entries()) {
        const { promptText, promptIds } = played.steps[i]!;
        if (promptText !== text) this.differ(logged.n, `steps[${i}].prompt`, text, promptText);
        else if (!sameIds(promptIds, ids)) this.differ(logged.n, `steps[${i}].promptIds`, ids, promptIds);
      }
    });
  }

  strayed(logged: RunEvent, wanted: string) {
    this.differ(logged.n, 'type', logged.type, wanted);
  }

  private compare(n: number, logged: unknown, recomputed: unknown) {
    for (const [field, mine, other] of unequal(logged, recomputed)) this.differ(n, field, mine, other);
  }

  /** A line's own fault is its difference; the lines after it are looked at as far as it allows. */
  async reporting(n: number, work: () => Promise<void>) {
    this.at = n;
    try {
      await work();
    } catch (error) {
      const { code, message } = toErrorValue(error, 'log/bad-event');
      if (!this.faulty.has(this.at)) this.differ(this.at, code, message, null);
      this.faulty.add(this.at);
    }
  }

  /** The line as it was made again; what only weights could tell (or the tokenizer, where it is missing) is the log's. */
  private claimed(logged: RunEvent, draft: RunEvent): unknown {
    const again = comparable(draft);
    switch (logged.type) {
      case 'run.opened': {
        const { config, hashes } = draft as RunOpened;
        // A setting that is younger than the log had its default.
        const known = Object.entries(config).filter(([key]) => Object.hasOwn(logged.config, key));
        return { ...again, config: Object.fromEntries(known), hashes: { ...hashes, code: logged.hashes.code } };
      }
      case 'consolidation': {
        const examples = logged.memory === null && (draft as Consolidation).memory === null;
        return this.text || !examples ? again : { ...again, hash: logged.hash };
      }
      case 'adapter.saved': {
        const { kl, optimizer } = draft as AdapterSaved;
        return {
          ...again,
          // Equal up to rounding, as it went through a mean.
          kl: kl === null || logged.kl === null ? kl : logged.kl,
          optimizer: optimizer === null || logged.optimizer === null ? optimizer : logged.optimizer,
        };
      }
      default:
        return again;
    }
  }
}

/** A line without its place and without how its prompts are written: by reference or not is all the same. */
function comparable(event: RunEvent): Record<string, unknown> {
  const { type: _, n: __, prev: ___, ...rest } = event;
  if (event.type !== 'consolidation') return rest;
  const bare = ({ sha256 }: { sha256: string }) => sha256;
  return {
    ...rest,
    prompt: event.prompt && bare(event.prompt),
    corrected: event.corrected.map((one) => ({ ...one, prompt: bare(one.prompt) })),
  };
}

function planOf(plan: EpisodePlan | EpisodeEvent) {
  const { runSeed, pathway, game, preset, phase, role, split, options, replicate, index, seed } = plan;
  const { temperature, checkpoint, adapter, memory } = plan;
  const place = { runSeed, pathway, game, preset, phase, role, split, options, replicate, index, seed };
  return { ...place, temperature, checkpoint, adapter, memory };
}

async function playOne(plan: EpisodePlan, hooks: PlayHooks, model: RecordedModel, rules: PlayRules) {
  let episode: PlayedEpisode | null = null;
  for await (const item of playEpisodes([plan], hooks, model, localGameHost(), rules)) {
    if ('played' in item) episode = item.played;
  }
  return episode!;
}

/** What the log says of its model. */
function cardOf({ hashes, model }: RunOpened): ModelCard {
  return {
    id: hashes.model,
    title: hashes.model,
    hash: hashes.model,
    tokenizerHash: hashes.tokenizer,
    kind: model?.kind ?? 'engine',
    parameters: model?.parameters ?? 0,
    context: model?.context ?? Number.MAX_SAFE_INTEGER,
    layout: model?.layout ?? 'plain',
    canTrain: true,
    engine: '',
  };
}
