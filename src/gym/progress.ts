// How far a run has come, in episodes, and how long it may still take. Shown, never stored.
import type { Live } from './live.ts';
import type { RunConfig } from './config.ts';

export class Progress {
  private done = 0;
  private played = 0;
  readonly total: number;
  private readonly startedMs = performance.now();

  constructor(config: RunConfig) {
    const strict = config.number('strict');
    const explore = config.number('explore');
    const checkpoints = Math.ceil(explore / config.number('every'));
    let episodes = 0;
    for (const game of config.games) {
      const splits = config.splitsOf(game).length;
      for (const { spec } of config.arms) {
        episodes += spec.baseline
          ? splits * strict * config.number('frozenReplicates')
          : explore + checkpoints * splits * strict * config.number('replicates');
      }
      if (!config.arms.some(({ spec }) => spec.baseline)) episodes += splits * strict * config.number('replicates');
    }
    this.total = episodes * config.seeds.length;
  }

  /** `fromLog`: the episode was read, so it says nothing about speed. */
  tick(fromLog: boolean): Live {
    this.done += 1;
    if (!fromLog) this.played += 1;
    const elapsedMs = performance.now() - this.startedMs;
    const left = Math.max(0, this.total - this.done);
    const leftMs = this.played === 0 ? null : (elapsedMs / this.played) * left;
    return { kind: 'progress', done: this.done, total: Math.max(this.total, this.done), elapsedMs, leftMs };
  }
}
