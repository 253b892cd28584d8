// The events of a run: one schema, from which types and import checks follow. Knows nothing of who writes or reads them.
// Times live in fields named `…Ms` or `at`, facts of the machine in `host`; both stay out of the hash chain (chain.ts).
import * as v from 'valibot';

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const seed = v.union([v.string(), v.number()]);
const finite = v.pipe(v.number(), v.finite());
const tokens = v.array(count);
const text = v.string();
const json = v.custom<JsonValue>((value) => value !== undefined, 'a JSON value');

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A text in parts: literal text, or the hash of a text that occurred earlier in the log (prompts.ts rebuilds it). */
export const PromptText = v.object({
  sha256: hash,
  parts: v.array(v.union([text, v.object({ ref: hash })])),
});

/** Ids of a prompt: the first `keep` ids of the step before (its prompt and completion), then `ids`. */
export const PromptTokens = v.object({ keep: count, ids: tokens });

export const Step = v.object({
  observation: text,
  prompt: PromptText,
  promptTokens: PromptTokens,
  completion: text,
  completionTokens: tokens,
  /** null: no answer line. Not necessarily valid. */
  action: v.nullable(text),
  /** The agent's own estimate of the reward of this action; null when missing or malformed, never 0 instead. */
  selfScore: v.nullable(finite),
  /** What the arm was given in its place (oracle judge, another model); null when the self-score was used. */
  judgeScore: v.nullable(finite),
  /** The call that gave the judgeScore, where a judge was asked: the hash of its prompt's parts, and its answer. */
  judge: v.optional(
    v.object({
      prompt: hash,
      layout: v.picklist(['plain', 'chat']),
      promptLength: count,
      completion: text,
      completionTokens: tokens,
    }),
  ),
  /** Verifier's; benchmark only. */
  reward: finite,
  feedback: text,
  valid: v.boolean(),
  maskMode: v.picklist(['off', 'frame', 'actions']),
  /** Share of probability that the mask removed, mean over the completion's tokens. */
  maskedMass: finite,
  /** Sum of the untempered log-probabilities of the completion's generated tokens. */
  logprob: v.nullable(finite),
  finish: v.picklist(['stop', 'length', 'context', 'aborted']),
  /** Tokens of the prompt that were cut to fit a budget, and what was cut. */
  cut: v.optional(v.object({ tokens: count, what: text })),
  decodeMs: v.optional(finite),
});

const base = { n: count, prev: v.nullable(hash), at: v.optional(v.number()), host: v.optional(json) };

export const RunOpened = v.object({
  type: v.literal('run.opened'),
  ...base,
  format: v.literal(1),
  /** The resolved settings, every key of the settings table. */
  config: v.record(v.string(), json),
  seeds: v.pipe(v.array(count), v.minLength(1)),
  hashes: v.object({
    model: text,
    /** The judge's, where another model judges. */
    judge: v.optional(text),
    tokenizer: text,
    /** Each prompt template by name. */
    prompts: v.record(v.string(), hash),
    /** Each game id with the hash of its rules texts. */
    games: v.record(v.string(), text),
    code: text,
  }),
  /** What the run's own decisions take from the model: its card's facts. Absent in logs older than this field. */
  model: v.optional(
    v.object({
      kind: v.picklist(['engine', 'webllm', 'scripted']),
      parameters: count,
      context: v.pipe(count, v.minValue(1)),
      layout: v.picklist(['plain', 'chat']),
    }),
  ),
  /** The arms, as their plug-ins declare them. */
  arms: v.array(
    v.object({
      name: text,
      plugin: text,
      version: text,
      /** What it may see beyond observations and completions; any verifier signal makes the run oracle-fed. */
      reads: v.array(text),
      label: v.picklist(['hidden-reward', 'oracle-fed']),
      /** Arms that a claim about it is held against, its null first. */
      controls: v.optional(v.array(text)),
      /** For people; the arm whose colour it shares; whether it only tells why another gains; whether it explores. */
      title: v.optional(text),
      family: v.optional(text),
      control: v.optional(v.boolean()),
      explores: v.optional(v.boolean()),
      /** `dev-selected` and the like, shown wherever the arm is. */
      note: v.optional(text),
    }),
  ),
  /** What a run continues from: a stored adapter or memory. */
  from: v.optional(json),
});

export const Episode = v.object({
  type: v.literal('episode'),
  ...base,
  runSeed: count,
  pathway: text,
  game: text,
  preset: v.picklist(['pocket', 'paper']),
  phase: v.picklist(['explore', 'strict']),
  role: v.picklist(['pretraining', 'exploration', 'strict', 'development']),
  split: v.picklist(['strict', 'unseen']),
  options: v.record(v.string(), text),
  replicate: count,
  /** Number of this episode in its arm's exploration or among its instances. */
  index: count,
  seed,
  decodeSeed: count,
  temperature: finite,
  instance: hash,
  /** Trust's opponent and the like: what intervals are clustered by; default the instance. */
  cluster: v.optional(text),
  /** Episodes explored when it was played. */
  checkpoint: count,
  adapter: v.nullable(hash),
  memory: v.nullable(hash),
  steps: v.array(Step),
  score: finite,
  success: v.boolean(),
  /** `failed`: the game itself hung or threw; such an episode never becomes a score. */
  endReason: v.picklist(['rule', 'invalid', 'stopped', 'steps', 'context', 'failed']),
  failure: v.optional(v.object({ code: text, message: text })),
  playMs: v.optional(finite),
});

/** A step, by its episode's index in the arm's exploration and its place in it (stable under resume, unlike n). */
const StepRef = v.object({ episode: count, step: count });

export const Consolidation = v.object({
  type: v.literal('consolidation'),
  ...base,
  runSeed: count,
  game: text,
  pathway: text,
  x: count,
  /** One sentence for people: what will be remembered. */
  sentence: text,
  kept: v.array(StepRef),
  dropped: v.array(StepRef),
  corrected: v.array(
    v.object({
      ...StepRef.entries,
      from: text,
      to: v.nullable(text),
      prompt: PromptText,
      promptLength: count,
      completion: text,
      completionTokens: tokens,
    }),
  ),
  /** The call that made a summary, where there was one. */
  prompt: v.nullable(PromptText),
  promptTokens: v.nullable(tokens),
  completion: v.nullable(text),
  completionTokens: v.nullable(tokens),
  /** Memory after it (history lines or tips), as the agent will read it; null for training. */
  memory: v.nullable(text),
  /** SHA-256 of the memory's text, or of the training examples. */
  hash,
});

export const AdapterSaved = v.object({
  type: v.literal('adapter.saved'),
  ...base,
  runSeed: count,
  game: text,
  pathway: text,
  x: count,
  /** SHA-256 of the adapter's tensors; the blob of that name holds them. */
  hash,
  /** PEFT's adapter_config.json, the other half of the adapter. */
  config: text,
  before: hash,
  optimizer: v.nullable(hash),
  /** Frobenius norm by tensor name. */
  norms: v.record(v.string(), finite),
  /** Loss of each optimiser step, in order. */
  loss: v.array(finite),
  gradNorm: v.array(finite),
  steps: count,
  tokens: count,
  /** Mean log-probability ratio of the new adapter to the old on the block's own completions, nats a token. */
  kl: v.nullable(finite),
  /** The engine's fingerprint of all base weights in memory: it must never change within a run. */
  baseHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{16,64}$/, 'a fingerprint in hex')),
  /** Why the update was refused, or why training has stopped. */
  guard: v.nullable(text),
  /** Refused updates in a row, this one included; absent where it was not refused. */
  refused: v.optional(v.pipe(count, v.minValue(1))),
  trainMs: v.optional(finite),
});

export const Checkpoint = v.object({
  type: v.literal('checkpoint'),
  ...base,
  game: text,
  runSeed: count,
  pathway: text,
  x: count,
  split: v.picklist(['strict', 'unseen']),
  role: v.picklist(['strict', 'development']),
  replicate: count,
  /** Line numbers of its episodes. */
  episodes: v.array(count),
  scores: v.array(finite),
  failed: v.optional(text),
});

export const Plugin = v.object({
  type: v.literal('plugin'),
  ...base,
  plugin: text,
  version: text,
  kind: text,
  payload: json,
});

export const RunPaused = v.object({ type: v.literal('run.paused'), ...base });
export const RunResumed = v.object({ type: v.literal('run.resumed'), ...base });
export const RunFailed = v.object({ type: v.literal('run.failed'), ...base, code: text, message: text, hint: text });
export const RunClosed = v.object({
  type: v.literal('run.closed'),
  ...base,
  reason: v.picklist(['done', 'stopped']),
  /** Everything src/report computes from the lines before; `verify` recomputes it. */
  report: json,
  /** Tokens in and out, calls, episodes, optimiser steps by arm and role. */
  ledger: json,
});

export const RunEvent = v.variant('type', [
  RunOpened,
  Episode,
  Consolidation,
  AdapterSaved,
  Checkpoint,
  Plugin,
  RunPaused,
  RunResumed,
  RunFailed,
  RunClosed,
]);

export type PromptText = v.InferOutput<typeof PromptText>;
export type PromptTokens = v.InferOutput<typeof PromptTokens>;
export type Step = v.InferOutput<typeof Step>;
export type StepRef = v.InferOutput<typeof StepRef>;
export type RunOpened = v.InferOutput<typeof RunOpened>;
export type EpisodeEvent = v.InferOutput<typeof Episode>;
export type Consolidation = v.InferOutput<typeof Consolidation>;
export type AdapterSaved = v.InferOutput<typeof AdapterSaved>;
export type Checkpoint = v.InferOutput<typeof Checkpoint>;
export type PluginEvent = v.InferOutput<typeof Plugin>;
export type RunFailed = v.InferOutput<typeof RunFailed>;
export type RunClosed = v.InferOutput<typeof RunClosed>;
export type RunEvent = v.InferOutput<typeof RunEvent>;

/** An event before it has its place in the chain. */
export type Draft<E extends RunEvent = RunEvent> = E extends RunEvent ? Omit<E, 'n' | 'prev'> : never;
