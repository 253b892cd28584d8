// Plays a finished log back in time, as the same messages that a live run sends. Knows nothing of the page.
import type { Live, Stage } from '../../gym/live.ts';
import type { EpisodeEvent, RunEvent } from '../../log/events.ts';
import type { Replayed } from '../reader/contract.ts';
import type { LabMessage } from '../../workers/contract.ts';
import { armLook } from '../arms.ts';
import { capital, counted, number } from '../words.ts';

interface PlayerOptions {
  emit(message: LabMessage): void;
  /** Events that are not played, all at once. */
  skip(events: readonly RunEvent[]): void;
  frames(n: number): Promise<Replayed>;
  /** The line of the episode that is about to be shown. */
  episode(n: number): void;
  ended(): void;
  /** Boards could not be made again (told once), or the rest not be played. */
  failed(error: unknown): void;
}

/** Milliseconds a move takes, by how many explored episodes have been shown: the first are slow enough to follow. */
const PACE = [360, 260, 180, 130];
const EVALUATED_BLOCK_MS = 1800;

export class Player {
  #events: RunEvent[] = [];
  #complete = false;
  #cursor = 0;
  #explored = 0;
  /** Where the first exploration is, once it has arrived. */
  #firstExploration = -1;
  #strictInBlock = 0;
  #playing = false;
  #fast = false;
  #stopAfterEpisode = false;
  #closed = false;
  #failed = false;
  #wake: (() => void) | null = null;
  #nextFrames: { n: number; frames: Promise<Replayed> } | null = null;
  #options: PlayerOptions;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#loop().catch((error: unknown) => options.failed(error));
  }

  append(events: readonly RunEvent[]) {
    const found = events.findIndex((event) => event.type === 'episode' && event.phase === 'explore');
    if (this.#firstExploration < 0 && found >= 0) this.#firstExploration = this.#events.length + found;
    this.#events.push(...events);
    this.#wake?.();
  }

  complete() {
    this.#complete = true;
    this.#wake?.();
  }

  play() {
    this.#playing = true;
    this.#stopAfterEpisode = false;
    this.#wake?.();
  }

  pause() {
    this.#playing = false;
    this.#wake?.();
  }

  /** Plays to the end of the next episode, then pauses. */
  step() {
    this.play();
    this.#stopAfterEpisode = true;
  }

  /** Shows everything that is left at once. */
  finish() {
    this.#fast = true;
    this.play();
  }

  close() {
    this.#closed = true;
    this.#wake?.();
  }

  async #loop() {
    while (!this.#closed) {
      const event = this.#events[this.#cursor];
      if (!event) {
        if (this.#complete) break;
        await this.#woken();
        continue;
      }
      if (this.#skip()) continue;
      if (!this.#playing) await this.#wait(0);
      if (this.#closed) return;
      await this.#show(event);
      this.#cursor++;
      this.#progress();
      if (event.type === 'episode' && this.#stopAfterEpisode && this.#explored > 0) {
        this.#stopAfterEpisode = false;
        this.#playing = false;
        this.#options.emit({ kind: 'state', runId: null, state: 'paused' });
      }
    }
    if (this.#closed) return;
    if (this.#fast) await this.#showLast();
    this.#options.ended();
  }

  /** What stands on the stage when everything has been shown at once: the end of the last explored episode. */
  async #showLast() {
    const last = this.#events.findLast((event) => event.type === 'episode' && event.phase === 'explore');
    if (last?.type !== 'episode') return;
    const frames = await this.#framesOf(last.n);
    this.#stage('judge', last, judged(last));
    for (let step = 0; step < last.steps.length; step++) this.#step(last, frames, step);
  }

  /**
   * Hands over at once what is not played: everything when the end is wanted, else what comes before the first
   * exploration, as soon as that has arrived (until then the evaluation before it moves).
   */
  #skip() {
    const to = this.#fast ? this.#events.length : this.#explored === 0 ? this.#firstExploration : -1;
    if (to <= this.#cursor) return false;
    this.#options.skip(this.#events.slice(this.#cursor, to));
    this.#cursor = to;
    this.#progress();
    return true;
  }

  async #show(event: RunEvent) {
    const emit = () => this.#options.emit({ kind: 'event', runId: '', event });
    switch (event.type) {
      case 'episode':
        await (event.phase === 'explore' ? this.#explore(event) : this.#evaluate(event));
        emit();
        if (event.phase === 'explore') {
          this.#stage('judge', event, judged(event));
          await this.#wait(this.#explored <= 2 ? 1800 : 500);
        }
        return;
      case 'consolidation':
        this.#stage('consolidate', event, event.sentence);
        emit();
        return this.#wait(this.#explored <= 6 ? 1500 : 500);
      case 'adapter.saved':
        this.#stage('update', event, `${counted(event.steps, 'gradient step')} change the adapter, nothing else.`);
        for (const [step, loss] of event.loss.entries()) {
          const { pathway, game } = event;
          this.#live({ kind: 'train', pathway, game, step: step + 1, steps: event.loss.length, loss });
          await this.#wait(90);
        }
        return emit();
      default:
        return emit();
    }
  }

  async #explore(event: EpisodeEvent) {
    const pace = PACE[Math.min(this.#explored, PACE.length - 1)]!;
    this.#explored++;
    this.#strictInBlock = 0;
    const arm = armTitle(event.pathway);
    this.#stage('explore', event, `${arm} plays episode ${event.index + 1} and says what it expects of each move.`);
    const frames = await this.#framesOf(event.n);
    for (let step = 0; step < event.steps.length; step++) {
      this.#step(event, frames, step);
      await this.#wait(pace);
      if (this.#fast || this.#closed) return;
    }
  }

  async #evaluate(event: EpisodeEvent) {
    if (this.#strictInBlock === 0) {
      const after = counted(event.checkpoint, 'explored episode');
      this.#stage('evaluate', event, `${armTitle(event.pathway)} after ${after}: held-out instances, nothing is kept.`);
    }
    this.#strictInBlock++;
    // A whole block takes about two seconds: the first episode move by move, the others at a glance.
    const frames = await this.#framesOf(event.n);
    const shown = this.#strictInBlock === 1 ? event.steps.length : 1;
    for (let left = shown; left > 0; left--) {
      this.#step(event, frames, event.steps.length - left);
      await this.#wait(this.#strictInBlock === 1 ? 80 : EVALUATED_BLOCK_MS / 30);
      if (this.#fast || this.#closed || (this.#explored === 0 && this.#firstExploration > 0)) return;
    }
  }

  #step(event: EpisodeEvent, { frames, stepCap }: Replayed, index: number) {
    this.#options.episode(event.n);
    const step = event.steps[index];
    if (!step) return;
    const over = index === event.steps.length - 1;
    this.#live({
      kind: 'step',
      pathway: event.pathway,
      game: event.game,
      phase: event.phase,
      index: event.index,
      step: index + 1,
      stepCap: Math.max(event.steps.length, stepCap),
      observation: step.observation,
      board: frames[index]?.board ?? step.observation,
      prompt: '',
      completion: step.completion,
      action: step.action,
      selfScore: step.selfScore,
      feedback: step.feedback,
      valid: step.valid,
      nextBoard: frames[index + 1]?.board ?? frames[index]?.board ?? step.observation,
      over,
      rewards: over ? event.steps.map((one) => one.reward) : null,
      score: over ? event.score : null,
    });
  }

  #framesOf(n: number): Promise<Replayed> {
    // Where a replay fails, the page says so and shows what was logged.
    const ask = (line: number) =>
      this.#options.frames(line).catch((error: unknown): Replayed => {
        if (!this.#failed) this.#options.failed(error);
        this.#failed = true;
        return { frames: [], stepCap: 0, hidden: null };
      });
    const mine = this.#nextFrames?.n === n ? this.#nextFrames.frames : ask(n);
    // The next episode's boards are made while this one plays.
    const next = this.#events.slice(this.#cursor + 1).find((event) => event.type === 'episode');
    this.#nextFrames = next ? { n: next.n, frames: ask(next.n) } : null;
    return mine;
  }

  #stage(stage: Stage, of: { pathway: string; game: string; runSeed: number }, sentence: string) {
    const { pathway, game, runSeed } = of;
    this.#live({ kind: 'stage', stage, pathway, game, runSeed, x: this.#explored, sentence });
  }

  #live(live: Live) {
    this.#options.emit({ kind: 'live', runId: '', live });
  }

  #progress() {
    if (this.#fast && this.#cursor < this.#events.length) return;
    const episodes = (events: RunEvent[]) => events.filter((event) => event.type === 'episode').length;
    const done = episodes(this.#events.slice(0, this.#cursor));
    this.#live({ kind: 'progress', done, total: episodes(this.#events), elapsedMs: 0, leftMs: null });
  }

  /** Passes after `ms` of playing; stands still while paused. */
  async #wait(ms: number) {
    let left = ms;
    while (!this.#closed && !this.#fast && (left > 0 || !this.#playing)) {
      if (!this.#playing) {
        await this.#woken();
        continue;
      }
      const started = performance.now();
      await this.#woken(left);
      left -= performance.now() - started;
    }
  }

  #woken(ms?: number) {
    return new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => this.#wake?.(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
    });
  }
}

const armTitle = (arm: string) => capital(armLook(arm).title);

function judged(event: EpisodeEvent) {
  const scores = event.steps.map((step) => step.selfScore).filter((score) => score !== null);
  const expected = scores.reduce((sum, score) => sum + score, 0);
  return `It expected ${number(expected, 1)} in all. The verifier, which it never hears, counted ${number(event.score)}.`;
}
