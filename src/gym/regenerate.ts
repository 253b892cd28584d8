// Decodes what a log holds again, from model, adapter, prompt and seed, and compares token ids: the strongest check of a
// log. The requests are made by the code that made the run's.
import { stream } from '../../games/rng.ts';
import { CodedError } from '../errors.ts';
import type { Consolidation, EpisodeEvent, RunEvent, RunOpened } from '../log/events.ts';
import { PromptReader } from '../log/prompts.ts';
import type { CompletionRequest, LanguageModel } from '../models/types.ts';
import { playAgain, type Audit } from './audit.ts';
import { sameIds, unequal, type Difference } from './difference.ts';
import { localGameHost } from './host.ts';
import { playEpisodes, type EpisodePlan, type PlayHooks, type PlayRules } from './play.ts';
import type { Made } from './plugin.ts';
import { callAnswers, judgeAnswers, RecordedModel, stepAnswers, type LoggedAnswer } from './recorded.ts';
import { beginningOf } from './startFrom.ts';

export interface Regenerated {
  episodes: number;
  /** Calls beside episodes: summaries and corrections. */
  calls: number;
  differences: Difference[];
}

/**
 * `count` episodes, and as many consolidations that asked the model, drawn by a fixed seed; with the episodes the answers
 * of a judge pass, where the run's model judges. For a log that verifies.
 * Errors: log/missing-blob, log/not-this-run when the model is another one.
 */
export async function regenerate(
  events: readonly RunEvent[],
  model: LanguageModel,
  count: number,
  readBlob: (hash: string) => Promise<Uint8Array | null>,
): Promise<Regenerated> {
  const [opened] = events;
  if (opened?.type !== 'run.opened' || opened.hashes.model !== model.card.hash) {
    throw new CodedError('log/not-this-run', 'the log was made with another model', 'name it with --model');
  }
  const again = new Again(events, model, count, opened.hashes.judge === undefined);
  const from = await beginningOf(events, readBlob);
  await playAgain(events, { model: again.model, judge: again.judge, readBlob, from }, again);
  const { episodes, calls, differences } = again;
  return { episodes: episodes.size, calls: calls.size, differences };
}

class Again implements Audit {
  readonly model: RecordedModel;
  readonly judge: RecordedModel;
  readonly episodes: ReadonlySet<RunEvent>;
  readonly calls: ReadonlySet<RunEvent>;
  readonly differences: Difference[] = [];
  private readonly reader = new PromptReader();
  private readonly real: LanguageModel;
  /** Number of the line that is decoded again, what is asked there, and which answers came. */
  private line = 0;

  constructor(events: readonly RunEvent[], real: LanguageModel, count: number, judges: boolean) {
    this.real = real;
    const drawn = <E extends RunEvent>(fits: (event: RunEvent) => event is E) =>
      new Set(stream('regenerate', events.length).shuffle(events.filter(fits)).slice(0, count));
    this.episodes = drawn((event): event is EpisodeEvent => event.type === 'episode' && event.steps.length > 0);
    this.calls = drawn((event): event is Consolidation => event.type === 'consolidation' && asks(event));
    const { card, training } = real;
    const behind = { card, text: null, ...(training ? { training } : {}) };
    const asked = (field: (k: number) => string) => (request: CompletionRequest, logged: LoggedAnswer, k: number) =>
      this.decode(request, logged, field(k));
    this.model = new RecordedModel({ ...behind, asked: asked((k) => `answer ${k}`) });
    this.judge = new RecordedModel({ ...behind, ...(judges ? { asked: asked((k) => `judgement ${k}`) } : {}) });
  }

  async made(logged: RunEvent, make: () => Promise<Made>) {
    if (logged.type === 'run.opened') return this.openedBy(logged, await make());
    if (logged.type !== 'consolidation' || !this.calls.has(logged)) return this.reader.fold(logged);
    this.line = logged.n;
    this.model.turnTo(callAnswers(logged, this.reader.texts(logged)));
    await make();
  }

  async episode(logged: EpisodeEvent, plan: EpisodePlan, hooks: PlayHooks, rules: PlayRules) {
    if (!this.episodes.has(logged)) return this.reader.fold(logged);
    this.line = logged.n;
    this.model.turnTo(stepAnswers(logged, this.reader.episode(logged)), 'context');
    this.judge.turnTo(judgeAnswers(logged));
    for await (const _ of playEpisodes([plan], hooks, this.model, localGameHost(), rules));
  }

  strayed(logged: RunEvent, wanted: string) {
    throw new CodedError('log/not-this-run', `line ${logged.n} is ${logged.type}, where the run would write ${wanted}`);
  }

  /** What the log says of its model, beside what the model says. */
  private openedBy({ n, model }: RunOpened, { draft }: Made) {
    for (const difference of unequal(model, (draft as RunOpened).model, 'model')) {
      const [field, logged, recomputed] = difference;
      this.differences.push({ n, field, logged, recomputed });
    }
  }

  private async decode(request: CompletionRequest, { prompt, ids }: LoggedAnswer, field: string) {
    // After the first answer that differs, the line is known not to hold.
    if (this.differences.at(-1)?.n === this.line) return;
    // The ids as the model read them stand for the whole prompt; its beginning token is among them.
    const exact = prompt && {
      parts: [{ role: 'assistant', text: prompt.text, ids: prompt.ids } as const],
      exactIds: true,
    };
    const [again] = await this.real.complete([{ ...request, ...exact }]);
    if (sameIds(again!.ids, ids)) return;
    this.differences.push({ n: this.line, field, logged: ids, recomputed: again!.ids });
  }
}

const asks = ({ completion, corrected }: Consolidation) => completion !== null || corrected.length > 0;
