// What is shown of one run: a fold of LabMessages and nothing else. A live run, a stored one and a recording all
// arrive here as the same messages.
import type { Live } from '../../gym/live.ts';
import type { AdapterSaved, Consolidation, EpisodeEvent, RunEvent, RunOpened } from '../../log/events.ts';
import type { Report } from '../../report/types.ts';
import type { LabMessage, RunState } from '../../workers/contract.ts';

type StageLive = Extract<Live, { kind: 'stage' }>;
export type StepLive = Extract<Live, { kind: 'step' }>;
type TrainLive = Extract<Live, { kind: 'train' }>;
type Progress = Extract<Live, { kind: 'progress' }>;

/** An episode as a row of the table. */
export interface EpisodeRow {
  n: number;
  arm: string;
  game: string;
  phase: 'explore' | 'strict';
  split: 'strict' | 'unseen';
  runSeed: number;
  index: number;
  x: number;
  steps: number;
  /** Sum of the parsed self-scores; null where there was none. */
  expected: number | null;
  score: number;
  success: boolean;
  end: EpisodeEvent['endReason'];
}

export class RunView {
  runId = $state<string | null>(null);
  state = $state<RunState>('idle');
  stage = $state.raw<StageLive | null>(null);
  step = $state.raw<StepLive | null>(null);
  /** What was expected of each step of the episode on the stage; undefined where a step was not shown. */
  trail = $state.raw<(number | null | undefined)[]>([]);
  train = $state.raw<TrainLive[]>([]);
  progress = $state.raw<Progress | null>(null);
  loading = $state.raw<{ what: string; loaded: number; total: number | null } | null>(null);
  report = $state.raw<Report | null>(null);
  /** Number of events that the report is of, or would be if it had not failed. */
  reported = $state(0);
  opened = $state.raw<RunOpened | null>(null);
  closed = $state<'done' | 'stopped' | 'failed' | null>(null);

  /** Replaced, never changed in place, so that whoever derives from them sees it. */
  events = $state.raw<readonly RunEvent[]>([]);
  rows = $state.raw<readonly EpisodeRow[]>([]);
  readonly count = $derived(this.events.length);

  consolidations(): Consolidation[] {
    return this.events.filter((event) => event.type === 'consolidation');
  }

  adapters(): AdapterSaved[] {
    return this.events.filter((event) => event.type === 'adapter.saved');
  }

  episode(n: number): EpisodeEvent | null {
    const event = this.events[n];
    return event?.type === 'episode' ? event : null;
  }

  apply(message: LabMessage) {
    switch (message.kind) {
      case 'state':
        this.state = message.state;
        if (message.state !== 'loading') this.loading = null;
        break;
      case 'event':
        this.append([message.event]);
        break;
      case 'live':
        this.live(message.live);
        break;
      case 'loading': {
        const { what, loaded, total } = message;
        this.loading = { what, loaded, total };
        break;
      }
      case 'error':
        break; // the session shows it
      default:
        message satisfies never;
    }
  }

  append(events: readonly RunEvent[]) {
    const rows: EpisodeRow[] = [];
    for (const event of events) {
      if (event.type === 'run.opened') this.opened = event;
      else if (event.type === 'episode') {
        rows.push(row(event));
        // Live steps may have been skipped; the log has them all.
        if (this.step && sameEpisode(this.step, event)) this.trail = event.steps.map((step) => step.selfScore);
      } else if (event.type === 'run.closed') this.closed = event.reason;
      else if (event.type === 'run.failed') this.closed = 'failed';
      else if (event.type === 'run.resumed') this.closed = null;
    }
    this.events = [...this.events, ...events];
    if (rows.length > 0) this.rows = [...this.rows, ...rows];
  }

  private live(live: Live) {
    switch (live.kind) {
      case 'stage':
        this.stage = live;
        if (live.stage === 'update') this.train = [];
        break;
      case 'step': {
        const before = this.step;
        const same = before !== null && !before.over && sameEpisode(before, live) && live.step > before.step;
        const seen = same ? this.trail : [];
        // Dense: a hole is skipped by `map` and becomes NaN later.
        this.trail = Array.from({ length: live.step }, (_, i) => (i === live.step - 1 ? live.selfScore : seen[i]));
        this.step = live;
        break;
      }
      case 'train':
        this.train = [...this.train, live];
        break;
      case 'progress':
        this.progress = live;
        break;
      default:
        live satisfies never;
    }
  }
}

const sameEpisode = (step: StepLive, other: Pick<EpisodeEvent, 'pathway' | 'phase' | 'index' | 'game'>) =>
  step.pathway === other.pathway &&
  step.phase === other.phase &&
  step.index === other.index &&
  step.game === other.game;

function row(event: EpisodeEvent): EpisodeRow {
  const scores = event.steps.map((step) => step.selfScore).filter((score) => score !== null);
  return {
    n: event.n,
    arm: event.pathway,
    game: event.game,
    phase: event.phase,
    split: event.split,
    runSeed: event.runSeed,
    index: event.index,
    x: event.checkpoint,
    steps: event.steps.length,
    expected: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0),
    score: event.score,
    success: event.success,
    end: event.endReason,
  };
}
