// How far a run has come, in episodes, and how long it may still take. Shown, never stored.
import type { Live } from './live.ts';
import type { RunConfig } from './config.ts';

export class Progress {
  private done = 0;
  private played = 0;
  readonly total: number;
  private readonly startedMs = performance.now();

  /** `begun`: the run starts from an adapter or a memory, which is measured before anything is learned. */
  constructor(config: RunConfig, begun: boolean) {
    const strict = config.number('strict');
    const explore = config.number('explore');
    const explored = Math.ceil(explore / config.number('every')) + (begun ? 1 : 0);
    const baseline = config.arms.some(({ spec }) => spec.baseline);
    let episodes = 0;
    for (const game of config.games) {
      const checkpoint = config.splitsOf(game).length * strict;
      // x = 0 is played once for all arms, whether or not the baseline is among them.
      episodes += checkpoint * config.number(baseline ? 'frozenReplicates' : 'replicates');
      for (const { spec } of config.arms) {
        if (spec.baseline) continue;
        const [alone, checkpoints] = spec.explores === false ? [0, 1] : [explore, explored];
        episodes += alone + checkpoints * checkpoint * config.number('replicates');
        episodes += spec.developmentEpisodes?.(config.settings) ?? 0;
      }
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
