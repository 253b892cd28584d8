// Checks of episodes: determinism, purity, interleaving, replay, caps and bounds, expert against random.
import { advance, verify } from '../episode.ts';
import { deepFreeze, fingerprint, must, plainCases, play, playing, start, type Check, type Played } from './context.ts';

const POLICIES = ['random', 'expert'] as const;

export const determinism: Check = ({ game, cases }) => {
  const first = cases.map((which) => POLICIES.map((policy) => play(game, which, 'd', policy).text));
  // Everything was played in between: nothing survives a reset.
  for (const [i, which] of cases.entries()) {
    for (const [j, policy] of POLICIES.entries()) {
      const again = play(game, which, 'd', policy).text;
      must(again === first[i]![j], () => `${which.label}: the same seed and ${policy} play give another episode`);
    }
  }
  return `${cases.length * POLICIES.length} episodes twice`;
};

export const purity: Check = ({ game, cases }) => {
  let steps = 0;
  for (const which of cases) {
    for (const policy of POLICIES) {
      const { episodes, actions } = play(game, which, 'p', policy);
      for (const [i, action] of actions.entries()) {
        const { config, state } = episodes[i]!;
        deepFreeze(config);
        deepFreeze(state);
        const before = fingerprint(state);
        const once = fingerprint(game.step(config, state, action));
        game.step(config, state, '\0');
        game.score(config, state);
        game.success(config, state);
        game.actions(config, state);
        game.finish?.(config, state);
        must(fingerprint(state) === before, () => `${which.label}: a state was changed in place`);
        const twice = fingerprint(game.step(config, state, action));
        must(once === twice, () => `${which.label}: the same step from the same state differs`);
        steps++;
      }
    }
  }
  return `${steps} steps from frozen states`;
};

export const interleaving: Check = ({ game, cases }) => {
  const seeds = ['i1', 'i2'];
  const jobs = cases.flatMap((which) => seeds.map((seed) => ({ which, seed })));
  const lone = jobs.map(({ which, seed }) => play(game, which, seed, 'random').text);
  const players = jobs.map(({ which, seed }) => playing(game, which, seed, 'random'));
  const ended: (Played | undefined)[] = jobs.map(() => undefined);
  while (ended.includes(undefined)) {
    for (const [i, player] of players.entries()) {
      if (ended[i]) continue;
      const next = player.next();
      if (next.done) ended[i] = next.value;
    }
  }
  for (const [i, { which }] of jobs.entries()) {
    must(ended[i]!.text === lone[i], () => `${which.label}: an interleaved episode differs from a lone one`);
  }
  return `${jobs.length} episodes at once`;
};

export const bounds: Check = ({ game, cases, episodes }) => {
  let steps = 0;
  for (const which of cases) {
    const { scoreBounds, stepRewardBounds } = which.config;
    const inside = (value: number, [low, high]: readonly [number, number]) =>
      value >= low - 1e-9 && value <= high + 1e-9;
    for (const policy of POLICIES) {
      for (let seed = 0; seed < Math.max(2, episodes / 4); seed++) {
        const played = play(game, which, seed, policy);
        must(played.episodes[0]!.score === 0, () => `${which.label}: the score does not start at 0`);
        for (const { score } of played.episodes) {
          must(inside(score, scoreBounds), () => `${which.label}: score ${score} outside ${scoreBounds}`);
        }
        for (const [i, { reward }] of played.reports.entries()) {
          const last = i === played.reports.length - 1 && played.episode.end !== 'rule';
          // The penalty for what was never played comes with the last step and is left out of the bounds.
          must(
            (last && game.finish !== undefined) || inside(reward, stepRewardBounds),
            () => `${which.label}: step reward ${reward} outside ${stepRewardBounds}`,
          );
          steps++;
        }
      }
    }
    for (const action of ['END', null]) {
      const { score } = advance(start(game, which, 0), action).episode;
      must(inside(score, scoreBounds), () => `${which.label}: score ${score} after ${action} outside ${scoreBounds}`);
    }
  }
  return `${steps} steps`;
};

export const replay: Check = ({ game, cases }) => {
  for (const which of cases) {
    for (const policy of POLICIES) {
      const { actions, episode, reports } = play(game, which, 'r', policy);
      const { preset, phase, split, options } = which;
      const replayed = verify(game, { preset, phase, split, options, seed: 'r' }, actions);
      const rewards = reports.map(({ reward }) => reward);
      must(
        replayed.score === episode.score &&
          replayed.success === episode.success &&
          replayed.steps === episode.steps &&
          fingerprint(replayed.rewards) === fingerprint(rewards),
        () => `${which.label}: a ${policy} episode scores ${episode.score}, its replay ${replayed.score}`,
      );
      const sum = rewards.reduce((a, b) => a + b, 0);
      must(
        Math.abs(sum - episode.score) < 1e-9,
        () => `${which.label}: rewards add up to ${sum}, not ${episode.score}`,
      );
    }
  }
  return `${cases.length * POLICIES.length} episodes`;
};

export const cap: Check = ({ game, cases }) => {
  let capped = 0;
  for (const which of cases) {
    for (const policy of POLICIES) {
      const { episode, episodes, actions } = play(game, which, 'c', policy);
      must(
        episode.steps <= which.config.stepCap,
        () => `${which.label}: ${episode.steps} steps, cap ${which.config.stepCap}`,
      );
      if (episode.end !== 'steps') continue;
      must(episode.steps === which.config.stepCap, () => `${which.label}: cut before the cap`);
      const before = episodes.at(-2)!;
      const outcome = game.step(before.config, before.state, actions.at(-1)!);
      const state = outcome.valid ? outcome.state : (outcome.state ?? before.state);
      const score = game.score(before.config, game.finish ? game.finish(before.config, state) : state);
      must(score === episode.score, () => `${which.label}: the action at the cap is not scored`);
      capped++;
    }
  }
  return `${capped} episodes ended at their cap`;
};

export const stalling: Check = (context) => {
  const { game } = context;
  for (const which of plainCases(context)) {
    const { episodes, episode } = play(game, which, 's', 'expert');
    for (const at of episodes.slice(0, -1)) {
      const { score } = advance(at, 'END').episode;
      must(score <= episode.score + 1e-9, () => `${which.label}: stopping after ${at.steps} steps beats playing on`);
    }
  }
  return 'stopping never beat the expert who played on';
};

export const expertBeatsRandom: Check = (context) => {
  const { game, episodes } = context;
  const means: string[] = [];
  for (const which of plainCases(context)) {
    const mean = (policy: 'random' | 'expert') => {
      let sum = 0;
      for (let seed = 0; seed < episodes; seed++) sum += play(game, which, `e${seed}`, policy).episode.score;
      return sum / episodes;
    };
    const [low, high] = [mean('random'), mean('expert')];
    must(high >= low, () => `${which.label}: expert ${high.toFixed(3)} below random ${low.toFixed(3)}`);
    means.push(`${low.toFixed(2)}/${high.toFixed(2)}`);
  }
  return `random/expert ${means.join(' ')}`;
};
