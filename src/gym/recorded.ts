// A model that answers what a log says it answered, while prompts are built anew. With the model's tokenizer their ids
// are made anew, too; without it they are the log's. Knows no arm.
import type { AdapterSaved, Consolidation, EpisodeEvent } from '../log/events.ts';
import {
  plainOf,
  plainText,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelCard,
  type ModelText,
  type PromptPart,
  type TrainingPort,
} from '../models/types.ts';
import { linesCut, type Budget } from './budget.ts';

/** A prompt as the log holds it. */
export interface LoggedPrompt {
  text: string;
  ids: readonly number[];
}

export interface LoggedAnswer extends Pick<Completion, 'text' | 'ids' | 'logprob' | 'maskedMass' | 'finish'> {
  /** null: the log keeps no more of it than `promptLength`. */
  prompt: LoggedPrompt | null;
  promptLength: number;
}

export interface RecordedOptions {
  card: ModelCard;
  /** null: the tokenizer is not here. */
  text: ModelText | null;
  /** Called with each request that the log has an answer to, and the answer's place among those it was turned to. */
  asked?: (request: CompletionRequest, logged: LoggedAnswer, place: number) => Promise<void>;
  /** Where adapters are made resident, if a real model stands behind. */
  training?: TrainingPort;
}

export class RecordedModel implements LanguageModel {
  readonly card: ModelCard;
  readonly training: TrainingPort;
  private readonly options: RecordedOptions;
  private answers: readonly LoggedAnswer[] = [];
  private next = 0;
  private whenOver: Completion['finish'] = 'stop';
  private saved: AdapterSaved | null = null;

  constructor(options: RecordedOptions) {
    this.card = options.card;
    this.options = options;
    this.training = recordedTraining(() => this.saved, options.training);
  }

  /** From here on it gives these answers in order. `whenOver`: how it ends where there is none left. */
  turnTo(answers: readonly LoggedAnswer[], whenOver: Completion['finish'] = 'stop') {
    this.answers = answers;
    this.next = 0;
    this.whenOver = whenOver;
  }

  /** From here on its training makes this adapter. */
  turnToTraining(saved: AdapterSaved) {
    this.saved = saved;
  }

  async complete(requests: readonly CompletionRequest[]): Promise<Completion[]> {
    const completions: Completion[] = [];
    for (const request of requests) completions.push(await this.answer(request));
    return completions;
  }

  async countTokens(texts: readonly string[]): Promise<number[]> {
    return texts.map((one) => this.options.text?.encode(one).length ?? 0);
  }

  async pieces(sequences: readonly (readonly number[])[]): Promise<string[][]> {
    return sequences.map((ids) => this.options.text?.pieces(ids) ?? ids.map(() => ''));
  }

  async close(): Promise<void> {}

  private async answer(request: CompletionRequest): Promise<Completion> {
    const { text, asked } = this.options;
    const place = this.next++;
    const logged = this.answers[place];
    const built = text?.prompt(request.parts) ?? {
      text:
        this.card.layout === 'plain' ? plainText(request.parts) : inOrder(request.parts, logged?.prompt?.text ?? ''),
      ids: logged?.prompt?.ids ?? Array.from({ length: logged?.promptLength ?? 0 }, () => 0),
    };
    const prompt = { promptIds: [...built.ids], promptText: built.text, forcedIds: 0, cachedTokens: 0 };
    if (!logged) {
      // With a tokenizer it is computed whether the context was full.
      const full = built.ids.length + request.sampling.maxTokens >= this.card.context;
      const finish = text && !full ? 'stop' : this.whenOver;
      return { ...prompt, text: '', ids: [], pieces: [], logprob: null, maskedMass: 0, finish };
    }
    await asked?.(request, logged, place);
    const written = text?.answer(logged.ids) ?? { text: logged.text, pieces: endApart(logged.text) };
    const forced =
      request.forced === undefined ? '' : (text?.answer(text.begin(request.forced)).text ?? request.forced);
    const said = beginsWith(written.text, forced) ? written : { text: forced, pieces: [forced] };
    const { ids, logprob, maskedMass, finish } = logged;
    return { ...prompt, ...said, ids: [...ids], logprob, maskedMass, finish };
  }
}

/** Tokenizers may lose a leading space or upper case. */
const beginsWith = (text: string, start: string) =>
  text.trimStart().toLowerCase().startsWith(start.trimStart().toLowerCase());

/** Without a tokenizer: the blank end of a text is a piece of its own. */
const endApart = (text: string) => [text.trimEnd(), text.slice(text.trimEnd().length)];

/** A chat layout's frame is its template's: the logged text stands where it holds each part in its place. */
function inOrder(parts: readonly PromptPart[], logged: string): string {
  let at = 0;
  for (const part of parts) {
    const found = logged.indexOf(part.text.trim(), at);
    if (found < 0) return parts.map(plainOf).join('');
    at = found + part.text.trim().length;
  }
  return logged;
}

/** Answers of an episode's steps; `prompts` are theirs. */
export const stepAnswers = ({ steps }: EpisodeEvent, prompts: readonly LoggedPrompt[]): LoggedAnswer[] =>
  steps.map(({ completion, completionTokens, logprob, maskedMass, finish }, i) => ({
    prompt: prompts[i]!,
    promptLength: prompts[i]!.ids.length,
    text: completion,
    ids: completionTokens,
    logprob,
    maskedMass,
    finish,
  }));

const called = { logprob: null, maskedMass: 0, finish: 'stop' } as const;

/** Answers of a judge pass, in the order of the steps that were judged. */
export const judgeAnswers = ({ steps }: EpisodeEvent): LoggedAnswer[] =>
  steps.flatMap(({ judge }) =>
    judge
      ? [
          {
            prompt: null,
            promptLength: judge.promptLength,
            text: judge.completion,
            ids: judge.completionTokens,
            ...called,
          },
        ]
      : [],
  );

/** Answers of the calls that a consolidation made; `prompts` are the texts of its prompts. */
export function callAnswers(event: Consolidation, prompts: readonly string[]): LoggedAnswer[] {
  const answers = event.corrected.map(({ promptLength, completion, completionTokens }): LoggedAnswer => ({
    prompt: null,
    promptLength,
    text: completion,
    ids: completionTokens,
    ...called,
  }));
  const { completion, completionTokens, promptTokens } = event;
  if (completion === null) return answers;
  const prompt = { text: prompts.at(-1) ?? '', ids: promptTokens ?? [] };
  return [
    ...answers,
    { prompt, promptLength: prompt.ids.length, text: completion, ids: completionTokens ?? [], ...called },
  ];
}

/** Budgets as a log used them, where the tokens cannot be counted: what it says that it kept. */
export class LoggedBudget implements Budget {
  private kept = 0;
  /** Steps of the one episode that was read in part. */
  private head = 0;
  /** Steps until the context is full. */
  private left = Number.POSITIVE_INFINITY;
  private cuts: number[] = [];
  private tokens: number[] = [];

  turnTo(event: EpisodeEvent | Consolidation) {
    const [kept, dropped] = event.type === 'consolidation' ? [event.kept, event.dropped] : [[], []];
    // The rest of an episode that was read in part is among what was dropped.
    const cut = kept.length > 0 && dropped.some(({ episode }) => episode === kept[0]!.episode);
    this.kept = cut ? 0 : new Set(kept.map(({ episode }) => episode)).size;
    this.head = cut ? kept.length : 0;
    const steps = event.type === 'episode' ? event.steps : [];
    this.left = event.type === 'episode' && event.endReason === 'context' ? steps.length : Number.POSITIVE_INFINITY;
    this.cuts = steps.map((step) => linesCut(step.cut));
    this.tokens = steps.map((step) => step.cut?.tokens ?? 0);
  }

  async last(texts: readonly string[], _room: number, most: number): Promise<number> {
    return Math.min(texts.length, most, this.kept);
  }

  async first(lines: readonly string[]): Promise<{ kept: number; tokens: number }> {
    const kept = Math.max(0, lines.length - (this.cuts.shift() ?? 0));
    return { kept, tokens: this.tokens.shift() ?? 0 };
  }

  async furthest(texts: readonly string[]): Promise<number> {
    return Math.min(texts.length, this.head);
  }

  async exceeds(): Promise<boolean> {
    return this.left-- <= 0;
  }
}

/** Training as the log tells of it: no model can say less without weights. What follows from it is the arm's to compute. */
function recordedTraining(at: () => AdapterSaved | null, behind?: TrainingPort): TrainingPort {
  let step = 0;
  return {
    fresh: async () => ({ hash: at()!.before, norms: {} }),
    load: async (files) => behind?.load(files) ?? { hash: at()?.hash ?? '', norms: at()?.norms ?? {} },
    files: async () => ({ config: at()!.config, tensors: new Uint8Array() }),
    start: async () => {
      step = 0;
    },
    step: async () => {
      const { loss, gradNorm, tokens } = at()!;
      const i = step++;
      return { loss: loss[i] ?? 0, gradNorm: gradNorm[i] ?? 0, tokens: i === 0 ? tokens : 0 };
    },
    async finish() {
      const { hash, before, kl } = at()!;
      // Of an adapter that was refused the log keeps nothing.
      const refused = hash === before && kl !== null && kl > 0;
      return { adapter: { hash: refused ? '' : hash, norms: {} }, optimizer: new Uint8Array() };
    },
    release: async () => {},
    // Their mean difference between the adapter before and the one after is the logged divergence.
    score: async (sequences, adapter) => {
      const { before, kl } = at()!;
      const value = adapter === null || adapter === before ? (kl ?? 0) : 0;
      return sequences.map((ids) => ids.map(() => value));
    },
    baseHash: async () => at()!.baseHash,
  };
}
