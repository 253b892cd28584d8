// TEST DATA: run logs that no model played, with known effects. Valid events in a valid chain, for the tests of report,
// page and store; every figure in them is invented.
import type { Split } from '../games/contract.ts';
import { stream } from '../games/rng.ts';
import { hashText } from '../src/hash.ts';
import { Chain } from '../src/log/chain.ts';
import type { Checkpoint, Draft, EpisodeEvent, RunEvent, Step } from '../src/log/events.ts';
import { resolveSettings } from '../src/gym/settings.ts';
import type { SyntheticArm, SyntheticOptions } from './syntheticOptions.ts';

export { syntheticContext, type SyntheticArm, type SyntheticOptions } from './syntheticOptions.ts';

const DEFAULT_ARMS: SyntheticArm[] = [
  { name: 'frozen' },
  { name: 'history', effect: 0.1 },
  { name: 'training', effect: 1.5 },
];

/** A whole log, from run.opened to run.closed. The same arguments give the same bytes. */
export function syntheticRun(seed: number, options: SyntheticOptions = {}): RunEvent[] {
  const builder = new Builder(seed, options);
  builder.open();
  for (const runSeed of builder.seeds) for (const game of builder.games) builder.play(game, runSeed);
  builder.close();
  return options.cutAt === undefined ? builder.events : builder.events.slice(0, options.cutAt);
}

class Builder {
  readonly events: RunEvent[] = [];
  readonly seeds: number[];
  readonly games: string[];
  private readonly arms: SyntheticArm[];
  private readonly chain = new Chain();
  private readonly explore: number;
  private readonly every: number;
  private readonly strict: number;

  constructor(
    private readonly seed: number,
    private readonly options: SyntheticOptions,
  ) {
    this.seeds = options.seeds ?? [1];
    this.games = options.games ?? ['snake-v1'];
    this.arms = options.arms ?? DEFAULT_ARMS;
    this.explore = options.explore ?? 12;
    this.every = options.every ?? 3;
    this.strict = options.strict ?? 30;
  }

  private append<E extends RunEvent>(draft: Draft<E>): E {
    const event = this.chain.link(draft as Draft) as E;
    this.events.push(event);
    return event;
  }

  open() {
    const config = resolveSettings({
      games: this.games,
      pathways: this.arms.map((arm) => arm.name),
      preset: this.options.preset ?? 'pocket',
      seeds: this.seeds,
      explore: this.explore,
      every: this.every,
      strict: this.strict,
      ...this.options.config,
    });
    delete config.engine;
    delete config.threads;
    const arms = this.arms.map(({ name, label = 'hidden-reward', note, controls }) => ({
      name,
      plugin: name.split(/[-@]/)[0]!,
      version: '1',
      reads: ['observation', 'completion', 'selfScore', ...(label === 'oracle-fed' ? ['verifierReward'] : [])],
      label,
      ...(note === undefined ? {} : { note }),
      ...(controls === undefined ? {} : { controls }),
    }));
    this.append({
      type: 'run.opened',
      format: 1,
      config,
      seeds: this.seeds,
      hashes: {
        model: hashText(`synthetic model ${this.options.model ?? ''}`),
        tokenizer: hashText('synthetic tokenizer'),
        prompts: { action: hashText('synthetic prompt') },
        games: Object.fromEntries(this.games.map((game) => [game, hashText(game)])),
        code: 'synthetic',
      },
      arms,
      ...(this.options.from === undefined ? {} : { from: { ...this.options.from } }),
    });
  }

  play(game: string, runSeed: number) {
    const replicates = this.options.frozenReplicates ?? 4;
    for (const split of this.options.splits ?? ['strict']) {
      for (let r = 0; r < replicates; r++) this.checkpoint(game, runSeed, { name: 'frozen' }, 0, split, r);
    }
    for (const arm of this.arms.filter((one) => one.name !== 'frozen')) {
      for (const split of this.options.splits ?? ['strict']) {
        if (arm.name.startsWith('frozen')) this.checkpoint(game, runSeed, arm, 0, split, 0);
      }
      if (arm.name.startsWith('frozen')) continue;
      // An adapter carried to another game is only played there.
      if (this.explore === 0) this.checkpoint(game, runSeed, arm, 0, 'strict', 0);
      for (let index = 0; index < this.explore; index++) {
        this.append(this.exploration(game, runSeed, arm, index));
        const x = index + 1;
        if (x % this.every === 0 || x === this.explore) {
          this.learn(game, runSeed, arm, x);
          for (const split of this.options.splits ?? ['strict']) this.checkpoint(game, runSeed, arm, x, split, 0);
        }
      }
    }
  }

  close() {
    const said = this.options.report?.(this.events) ?? { report: {}, ledger: {} };
    this.append({ type: 'run.closed', reason: 'done', ...said } as Draft);
  }

  private adapterOf(arm: SyntheticArm, game: string, runSeed: number, x: number): string | null {
    if (!arm.name.startsWith('training')) return null;
    if (x === 0) return this.options.from?.adapter ?? null;
    return hashText(`adapter ${this.seed} ${arm.name} ${game} ${runSeed} ${x}`);
  }

  private learn(game: string, runSeed: number, arm: SyntheticArm, x: number) {
    const from = Math.max(0, x - this.every);
    const kept = Array.from({ length: x - from }, (_, i) => ({ episode: from + i, step: 0 }));
    const training = arm.name.startsWith('training');
    const prompt = 'Write tips.';
    this.append({
      type: 'consolidation',
      runSeed,
      game,
      pathway: arm.name,
      x,
      sentence: training ? `${kept.length} steps are kept for training.` : `${kept.length} steps are remembered.`,
      kept,
      dropped: [],
      corrected: [],
      prompt: training ? null : { sha256: hashText(prompt), parts: [prompt] },
      promptTokens: training ? null : [1, 2, 3],
      completion: training ? null : 'Tips: retain: up.',
      completionTokens: training ? null : [4, 5],
      memory: training ? null : `retain: up. ${x}`,
      hash: hashText(`${arm.name} ${x}`),
    });
    if (!training) return;
    this.append({
      type: 'adapter.saved',
      runSeed,
      game,
      pathway: arm.name,
      x,
      hash: this.adapterOf(arm, game, runSeed, x)!,
      config: '{"r":8,"lora_alpha":16}',
      before: this.adapterOf(arm, game, runSeed, from) ?? hashText('fresh adapter'),
      optimizer: null,
      norms: { 'layers.0.q_proj.lora_A': 1, 'layers.0.q_proj.lora_B': 0.1 * x },
      loss: [2, 1.5, 1.2],
      gradNorm: [1, 0.9, 0.8],
      steps: 3,
      tokens: 300,
      kl: 0.01,
      baseHash: hashText('synthetic model'),
      guard: null,
    });
  }

  private checkpoint(game: string, runSeed: number, arm: SyntheticArm, x: number, split: Split, replicate: number) {
    const failed = this.options.failed?.includes(`${arm.name} ${x}`) ?? false;
    const events = failed
      ? []
      : Array.from({ length: this.strict }, (_, index) =>
          this.append(this.strictEpisode(game, runSeed, arm, x, split, replicate, index)),
        );
    this.append<Checkpoint>({
      type: 'checkpoint',
      game,
      runSeed,
      pathway: arm.name,
      x,
      split,
      role: 'strict',
      replicate,
      episodes: events.map((event) => event.n),
      scores: events.map((event) => event.score),
      ...(failed ? { failed: 'synthetic failure' } : {}),
    });
  }

  private strictEpisode(
    game: string,
    runSeed: number,
    arm: SyntheticArm,
    x: number,
    split: Split,
    replicate: number,
    index: number,
  ): Draft<EpisodeEvent> {
    const { clusters, noise = 1.5, base = 3 } = this.options;
    const level = stream('level', game, runSeed, split, index).next() * noise;
    const names = [arm.name, game, runSeed, x, split, replicate, index];
    const rng = stream(this.seed, 'score', ...names);
    const luck = (rng.next() + rng.next() + rng.next() - 1.5) * 2 * noise;
    const grown = this.explore === 0 ? 1 : x / this.explore;
    const score = Math.round((base + level + luck + (arm.effect ?? 0) * grown) * 100) / 100;
    const rewards = this.rewards(score);
    return {
      ...this.common(game, runSeed, arm, x, rewards, names),
      phase: 'strict',
      role: 'strict',
      split,
      replicate,
      index,
      seed: index,
      decodeSeed: index * 64 + replicate,
      temperature: 0.7,
      instance: hashText(`strict ${game} ${runSeed} ${split} ${index}`),
      ...(clusters === undefined ? {} : { cluster: `cluster ${index % clusters}` }),
      score,
      success: score >= 4,
      endReason: rng.next() < 0.05 ? 'invalid' : 'rule',
    };
  }

  private exploration(game: string, runSeed: number, arm: SyntheticArm, index: number): Draft<EpisodeEvent> {
    const names = ['explore', arm.name, game, runSeed, index];
    const count = this.options.stepsPerEpisode ?? 4;
    const rng = stream(this.seed, 'reward', ...names);
    const rewards = Array.from({ length: count }, () => rng.int(2));
    const score = rewards.reduce((sum: number, r) => sum + r, 0);
    return {
      ...this.common(game, runSeed, arm, index, rewards, names),
      phase: 'explore',
      role: 'exploration',
      split: 'strict',
      replicate: 0,
      index,
      seed: index,
      decodeSeed: index,
      temperature: 1,
      instance: hashText(`explore ${game} ${runSeed} ${index}`),
      score,
      success: false,
      endReason: 'steps',
    };
  }

  private common(
    game: string,
    runSeed: number,
    arm: SyntheticArm,
    x: number,
    rewards: number[],
    names: (string | number)[],
  ) {
    return {
      type: 'episode' as const,
      runSeed,
      pathway: arm.name,
      game,
      preset: this.options.preset ?? ('pocket' as const),
      options: {},
      checkpoint: x,
      adapter: this.adapterOf(arm, game, runSeed, x),
      memory: null,
      steps: rewards.map((reward, i) => this.step(reward, i, names, arm.label === 'oracle-fed')),
    };
  }

  /** The score in two steps, so that rewards add up to it. */
  private rewards(score: number): number[] {
    const first = Math.floor(score / 2);
    return [first, Math.round((score - first) * 100) / 100];
  }

  private step(reward: number, i: number, names: (string | number)[], judged: boolean): Step {
    const { judging = 0.8, constantScore } = this.options;
    const rng = stream(this.seed, 'self', ...names, i);
    const right = rng.next() < judging;
    const selfScore = constantScore ?? (right === reward > 0 ? 1 : 0);
    const prompt = `step ${i}`;
    return {
      observation: `UP free up left a up${i} left1`,
      prompt: { sha256: hashText(prompt), parts: [prompt] },
      promptTokens: { keep: i * 10, ids: [1, 2, 3] },
      completion: `Answer: UP, Score: ${selfScore}`,
      completionTokens: [4, 5, 6, 7],
      action: 'UP',
      selfScore: rng.next() < 0.05 ? null : selfScore,
      judgeScore: judged ? reward : null,
      reward,
      feedback: '',
      valid: rng.next() >= 0.02,
      maskMode: 'off',
      maskedMass: 0,
      logprob: -1,
      finish: 'stop',
    };
  }
}
