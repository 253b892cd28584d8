// The contract of a plug-in: one folder with a manifest and, for each arm, hooks that all have a default.
// An arm's state changes in one place only, `absorb`, which folds events of the log: so resuming is reading.
import type { GameConfig, Preset } from '../../games/contract.ts';
import type { AdapterSaved, Consolidation, Draft, PluginEvent, PromptText, RunEvent } from '../log/events.ts';
import type { Completion, CompletionRequest, PromptPart, TrainingPort } from '../models/types.ts';
import type { Table } from '../report/render/cells.ts';
import type { Budget } from './budget.ts';
import type { ExperienceView, Signal } from './experience.ts';
import type { Proposal, Verdict } from './judging.ts';
import type { Live } from './live.ts';
import type { PromptBlocks } from './prompts.ts';
import type { Setting, Settings } from './settings.ts';

/** What a plug-in adds; a manifest names its kinds for people and for the page's menus. */
export type Kind =
  'pathway' | 'objective' | 'judge' | 'selector' | 'gate' | 'source' | 'monitor' | 'variant' | 'report';

export interface ArmSpec {
  /** Name in settings, logs and charts. */
  name: string;
  title: string;
  /** One sentence for people. */
  summary: string;
  /** The arm whose colour it shares; default: itself. */
  family?: string;
  /** Learns in a way that only tells why another arm gains. */
  control?: true;
  /** Overrides the manifest's `reads`. */
  reads?: readonly Signal[];
  /** Arms that a claim about this one is held against, its null first. */
  controls: readonly string[];
  /** Shown wherever the arm is, e.g. `dev-selected`. */
  note?: string;
  /** Needs a model that can be trained here; refused before the run is opened where it cannot. */
  trains?: boolean;
  /** The null of a run: evaluated once at x = 0 with several decode seeds, shared by all arms. */
  baseline?: boolean;
  /** false: it learns nothing while exploring, and is evaluated once. */
  explores?: false;
  /** Episodes that it plays on development instances, for each seed and game. Default none. */
  developmentEpisodes?(settings: Settings): number;
}

/** A variant replaces a link of any arm by something else: `training@oracle-judge`. */
export interface VariantSpec {
  name: string;
  title: string;
  summary: string;
  /** Signals it reads beyond the arm's own. */
  reads: readonly Signal[];
}

export interface Manifest {
  name: string;
  version: string;
  kinds: readonly Kind[];
  settings: readonly Setting[];
  /** Default signals of its arms. */
  reads: readonly Signal[];
  arms: readonly ArmSpec[];
  variants?: readonly VariantSpec[];
}

export interface Plugin {
  manifest: Manifest;
  /** A fresh arm. */
  arm?(name: string, context: ArmContext): Arm;
  /** Wraps another arm's hooks. */
  variant?(name: string, arm: Arm, context: ArmContext): Arm;
  /** Further tables about one or more logs, shown after the core's own wherever a report is. Pure; logs may be incomplete. */
  report?(logs: readonly (readonly RunEvent[])[]): readonly Table[];
}

/** What an arm knows of its run. Facts and services only: no rewards, no scores. */
export interface ArmContext {
  readonly name: string;
  readonly game: string;
  readonly preset: Preset;
  readonly runSeed: number;
  readonly settings: Settings;
  readonly config: GameConfig;
  readonly rules: string;
  /** The game's true advice; only for arms that read `expert`. */
  readonly guidance: string | null;
  readonly reads: readonly Signal[];
  /** What the arm starts from instead of nothing: a resident adapter's hash, a memory's text. */
  readonly from: { adapter: string | null; memory: string | null };
  /** Tokens that hints may take, after rules and the current episode; what a call beside it writes comes out of them. */
  readonly hintTokens: number;
  /** The budget of an answer for which a setting gives `tokens`: never more than its share of the model's context. */
  answerTokens(tokens: number): number;
  /** What fits into a prompt. */
  readonly budget: Budget;
  seed(...names: (string | number)[]): number;
  /** Calls outside an episode (summary, correction, …); the arm logs them in its event, so that the ledger sees them. */
  call(requests: readonly (Omit<CompletionRequest, 'adapter'> & { adapter?: string | null })[]): Promise<Completion[]>;
  /** A judge pass by the run's judge (the run's model unless another was named). */
  judge(proposals: readonly Proposal[]): Promise<Verdict[]>;
  /** A prompt as events store it, by reference to what occurred before; call it as the event is made, in its order. */
  write(blocks: readonly string[], text: string): PromptText;
  countTokens(texts: readonly string[]): Promise<number[]>;
  pieces(sequences: readonly (readonly number[])[]): Promise<string[][]>;
  /** Parameters of the model: what a token costs. */
  readonly parameters: number;
  /** null where the model cannot be trained here. */
  readonly training: TrainingPort | null;
  /** A blob of this run's log. Errors: log/missing-blob. */
  blob(hash: string): Promise<Uint8Array>;
  /** Mean score over development instances, at a temperature and adapter; logged as checkpoints with that role. */
  develop(options: { temperature?: number; adapter?: string | null; count: number }): AsyncGenerator<GymItem, number>;
}

/** An event to be appended, with the blobs that must be stored with it. */
export interface Made<E extends RunEvent = RunEvent> {
  draft: Draft<E>;
  blobs?: Record<string, Uint8Array>;
}

/** What a run yields: things to store, things to show. */
export type GymItem = { event: RunEvent; blobs: Record<string, Uint8Array> } | { live: Live };

/** Makes an event, or takes it from the log when the run is being resumed; the arm absorbs it before this returns. */
export type Produce = <T extends ArmEvent['type']>(
  type: T,
  make: (live: (message: Live) => void) => Promise<Made<Extract<RunEvent, { type: T }>>>,
) => AsyncGenerator<GymItem, Extract<RunEvent, { type: T }>>;

/** Events that an arm makes beside its episodes. */
export type ArmEvent = Consolidation | AdapterSaved | PluginEvent;

/** Facts about a step that a hook may use; `expert` is null unless the arm reads it. */
export interface StepFacts {
  observation: string;
  expert: (() => Promise<string>) | null;
}

export interface Arm {
  /** Its state does not change within a block, so a block's episodes may be played side by side. Default false. */
  readonly blockwise?: boolean;
  /** Temperature of its held-out episodes, where it is not the run's. */
  temperature?(): number | null;
  /** Text for the prompt's slots in the next episode. */
  blocks?(): PromptBlocks;
  /** Adapter of the next episode. */
  adapter?(): string | null;
  /** SHA-256 of the memory that the next episode reads. */
  memory?(): string | null;
  /** Before anything is evaluated (choosing a temperature on development instances). */
  prepare?(produce: Produce): AsyncGenerator<GymItem, void>;
  beforeExplore?(produce: Produce, x: number): AsyncGenerator<GymItem, void>;
  /** After each exploration episode (each block of a blockwise arm); x counts the episodes done. */
  afterExplore?(produce: Produce, x: number): AsyncGenerator<GymItem, void>;
  /** When x exploration episodes are done and a checkpoint is due. */
  beforeCheckpoint?(produce: Produce, x: number): AsyncGenerator<GymItem, void>;
  /** Action selector: an action that the model is made to give (it still writes its score), or null to sample. */
  act?(facts: StepFacts): Promise<string | null>;
  /** Judge: a score in place of the model's own, or null to keep its own. `reward` only for arms that read it. */
  judge?(step: { action: string | null; selfScore: number | null; reward?: number }): number | null;
  /** Judge: scores steps that were just played, by calls of its own; in their order. */
  judgeSteps?(proposals: readonly Proposal[]): Promise<Verdict[]>;
  /** An exploration episode of its own has ended; `view` shows what the arm may see. */
  experience?(view: ExperienceView): void;
  /** Folds one of its own events; the only place where its state changes beside `experience`. */
  absorb?(event: ArmEvent): void | Promise<void>;
}

export type { PromptPart };
