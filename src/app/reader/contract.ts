// What the page may ask of the reader: a small worker that reads logs. It holds one log at a time.
import type { RunEvent } from '../../log/events.ts';
import type { Table } from '../../report/render/cells.ts';
import type { Report } from '../../report/types.ts';

export interface ReplayFrame {
  board: string;
  observation: string;
  action: string | null;
  selfScore: number | null;
  reward: number | null;
  feedback: string;
}

export interface Replayed {
  /** One a step, before its action; the last frame is the end and has no action. */
  frames: ReplayFrame[];
  stepCap: number;
  /** What was hidden from the agent, in words; null where nothing was, or the game is unknown here. */
  hidden: string | null;
}

export interface ReaderApi {
  /** Forgets the log. */
  reset(): Promise<void>;
  append(events: RunEvent[]): Promise<void>;
  /** Reads a JSONL file (gzip or plain) and hands its events over in batches as they arrive. */
  stream(url: string, onEvents: (events: RunEvent[]) => void): Promise<void>;
  /** The report of the first `count` events. */
  report(count: number): Promise<Report>;
  /** The tables that plug-ins make of the first `count` events. */
  tables(count: number): Promise<Table[]>;
  /** Boards of an episode, by replay from its seed and actions. */
  frames(n: number): Promise<Replayed>;
  /** The exact prompt of a step. */
  prompt(n: number, step: number): Promise<string>;
}
