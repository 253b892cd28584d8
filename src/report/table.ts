// Sorts the lines of one or more logs into what the report asks for: held-out plays by game, split, arm, seed and x,
// exploration episodes by arm and seed. Knows no statistics. Lines refer to each other by `n`, so order is no matter.
import type { Preset, Split } from '../../games/contract.ts';
import { CodedError } from '../errors.ts';
import type { Checkpoint, EpisodeEvent, RunEvent, RunOpened } from '../log/events.ts';
import { FROZEN, Roster } from './arms.ts';
import type { ArmName } from './types.ts';

/** One held-out episode, less its text. */
export interface Play {
  /** What pairs it across arms: its instance and its number among the instances. */
  key: string;
  instance: string;
  cluster: string;
  score: number;
  success: boolean;
  steps: number;
  validSteps: number;
  /** Actions of the steps that were not valid; null where the answer had none. */
  refused: readonly (string | null)[];
  invalidEnd: boolean;
  tokens: number;
}

/** A checkpoint's plays by replicate, then key. */
export interface Cell {
  plays: Map<number, Map<string, Play>>;
  failed?: string;
}

export interface Log {
  opened: RunOpened;
  events: readonly RunEvent[];
  /** Hash of the stored adapter that its arms started from. */
  fromAdapter: string | null;
}

export interface CellAddress {
  game: string;
  split: Split;
  arm: ArmName;
  runSeed: number;
  x: number;
}

export class Table {
  readonly preset: Preset;
  readonly roster: Roster;
  private readonly cells = new Map<string, Cell>();
  private readonly addresses = new Map<string, CellAddress>();
  /** Exploration episodes of an arm, by `game arm runSeed`. */
  private readonly explored = new Map<string, EpisodeEvent[]>();
  readonly options = new Map<string, Readonly<Record<string, string>>>();

  constructor(readonly logs: readonly Log[]) {
    this.preset = logs[0]!.opened.config.preset === 'paper' ? 'paper' : 'pocket';
    this.roster = new Roster(logs.map((log) => log.opened));
    for (const log of logs) this.add(log);
    for (const list of this.explored.values()) list.sort((a, b) => a.index - b.index);
  }

  private add(log: Log) {
    const byNumber = new Map<number, EpisodeEvent>();
    // A run that chooses settings is measured on development instances throughout, and says so in its notes.
    const role = log.opened.config.heldOut === 'development' ? 'development' : 'strict';
    for (const event of log.events) if (event.type === 'episode') byNumber.set(event.n, event);
    for (const event of log.events) {
      if (event.type === 'episode') {
        this.options.set(event.game, event.options);
        if (event.phase === 'explore') this.addExplored(event);
      } else if (event.type === 'checkpoint' && event.role === role) this.addCheckpoint(event, byNumber);
    }
  }

  private addExplored(event: EpisodeEvent) {
    const key = `${event.game} ${event.pathway} ${event.runSeed}`;
    const list = this.explored.get(key);
    if (list) list.push(event);
    else this.explored.set(key, [event]);
  }

  private addCheckpoint(event: Checkpoint, byNumber: ReadonlyMap<number, EpisodeEvent>) {
    const { game, split, pathway: arm, runSeed, x, replicate } = event;
    const address = { game, split, arm, runSeed, x };
    const key = keyOf(address);
    const cell: Cell = this.cells.get(key) ?? { plays: new Map() };
    if (cell.plays.has(replicate)) {
      throw new CodedError(
        'log/duplicate-checkpoint',
        `${game}, ${arm}, seed ${runSeed}, x = ${x}, replicate ${replicate} occurs twice`,
        'the same run was given more than once; name each log once',
      );
    }
    this.addresses.set(key, address);
    this.cells.set(key, cell);
    const plays = new Map<string, Play>();
    if (event.failed !== undefined) cell.failed = event.failed;
    else {
      for (const n of event.episodes) {
        const episode = byNumber.get(n);
        if (!episode) cell.failed = `line ${n} is no episode`;
        // The game's own fault is no score of the arm.
        else if (episode.endReason !== 'failed') {
          const play = playOf(episode);
          plays.set(play.key, play);
        }
      }
    }
    cell.plays.set(replicate, plays);
  }

  games(): string[] {
    const names = [...this.addresses.values()].map((a) => a.game);
    for (const list of this.explored.values()) names.push(list[0]!.game);
    return [...new Set(names)];
  }

  splits(game: string): Split[] {
    const found = [...this.addresses.values()].filter((a) => a.game === game).map((a) => a.split);
    return (['strict', 'unseen'] as const).filter((split) => found.includes(split));
  }

  /** Arms with a checkpoint of their own, or with exploration under way. */
  arms(game: string): ArmName[] {
    const own = [...this.addresses.values()].filter((a) => a.game === game).map((a) => a.arm);
    for (const list of this.explored.values()) if (list[0]!.game === game) own.push(list[0]!.pathway);
    return [...new Set(own)];
  }

  /** Run seeds of an arm (of any arm of the game, when none is named), ascending. */
  seeds(game: string, arm?: ArmName): number[] {
    const found = [...this.addresses.values()].filter((a) => a.game === game && (arm === undefined || a.arm === arm));
    const explored = [...this.explored.values()].filter(
      ([first]) => first!.game === game && (arm === undefined || first!.pathway === arm),
    );
    const all = [...found.map((a) => a.runSeed), ...explored.map(([first]) => first!.runSeed)];
    return [...new Set(all)].sort((a, b) => a - b);
  }

  /** Checkpoints' x of a game and split over all arms, ascending. */
  xs(game: string, split: Split): number[] {
    const found = [...this.addresses.values()].filter((a) => a.game === game && a.split === split);
    return [...new Set(found.map((a) => a.x))].sort((a, b) => a - b);
  }

  /** The cell that serves an arm at x: its own; frozen's for x = 0; the arm's x = 0 for one that learns nothing. */
  cell(address: CellAddress): { cell: Cell; shared: boolean } | null {
    const own = this.cells.get(keyOf(address));
    if (own) return { cell: own, shared: false };
    if (this.roster.isConstant(address.arm)) {
      const constant = this.cells.get(keyOf({ ...address, x: 0 }));
      return constant ? { cell: constant, shared: true } : null;
    }
    if (address.x !== 0) return null;
    const frozen = this.cells.get(keyOf({ ...address, arm: FROZEN }));
    return frozen ? { cell: frozen, shared: true } : null;
  }

  explorationOf(game: string, arm: ArmName, runSeed: number): readonly EpisodeEvent[] {
    return this.explored.get(`${game} ${arm} ${runSeed}`) ?? [];
  }
}

const keyOf = (a: CellAddress) => `${a.game} ${a.split} ${a.arm} ${a.runSeed} ${a.x}`;

function playOf(episode: EpisodeEvent): Play {
  return {
    key: `${episode.instance} ${episode.index}`,
    instance: episode.instance,
    cluster: episode.cluster ?? episode.instance,
    score: episode.score,
    success: episode.success,
    steps: episode.steps.length,
    validSteps: episode.steps.filter((step) => step.valid).length,
    refused: episode.steps.filter((step) => !step.valid).map((step) => step.action),
    invalidEnd: episode.endReason === 'invalid',
    tokens: episode.steps.reduce((sum, step) => sum + step.completionTokens.length, 0),
  };
}
