// `npm run baselines`: measures random and expert play in every configuration into games/baselines.json. Deterministic
// for its seed; saved after every configuration, and goes on where it stopped.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  baselineScore,
  keyOf,
  meanAndError,
  policyOf,
  type Baseline,
  type Baselines,
} from '../../../games/baselines.ts';
import { casesOf } from '../../../games/check/context.ts';
import type { Game } from '../../../games/contract.ts';
import { canonicalJson, configOf } from '../../../games/instance.ts';
import { findGame, games } from '../../../games/registry.ts';
import { CodedError } from '../../errors.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  name: 'baselines',
  summary:
    'measures random and expert scores of every configuration into games/baselines.json; goes on where it stopped',
  usage: '[--only GAME] [--episodes N] [--slow N] [--seed N] [--fresh] [--out FILE]',
  flags: {
    only: { type: 'string' },
    episodes: { type: 'string' },
    slow: { type: 'string' },
    seed: { type: 'string' },
    fresh: { type: 'boolean' },
    out: { type: 'string' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const only = args.text('only');
    const chosen = only === undefined ? [...games.values()] : [findGame(only)];
    const n = args.integer('episodes', 4000, [2, 1_000_000]);
    const slow = Math.min(n, args.integer('slow', 2000, [2, 1_000_000]));
    const seed = args.integer('seed', 1);
    const path = args.text('out') ?? join(io.root, 'games', 'baselines.json');
    const all: Baselines = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Baselines) : {};
    for (const game of chosen) {
      if (!game) throw new CodedError('usage/bad-value', `--only ${only}: no such game`, [...games.keys()].join(', '));
      if (args.flag('fresh')) for (const key of Object.keys(all)) if (key.startsWith(`${game.id}/`)) delete all[key];
      for (const setup of setupsOf(game)) {
        const key = keyOf(game, setup);
        if (all[key]) continue;
        if (io.signal.aborted) return 1;
        const measured = measure(game, setup, seed, n, slow);
        all[key] = measured;
        save(path, all);
        const { random, randomSe, expert, expertSe, nothing } = measured;
        io.err(
          `${key}: random ${random.toFixed(3)} ± ${randomSe.toFixed(3)}, expert ${expert.toFixed(3)} ± ${expertSe.toFixed(3)}` +
            `${nothing === undefined ? '' : `, nothing ${nothing}`} (n ${measured.n})`,
        );
      }
    }
    return 0;
  },
};

/** Each configuration once: an option that leaves it as it is (exploration's options in strict) adds no entry. */
function setupsOf(game: Game) {
  const seen = new Set<string>();
  return casesOf(game).filter(({ preset, phase, split, options }) => {
    const content = canonicalJson(configOf(game, { preset, phase, split, options, seed: 0 }) as never);
    return !seen.has(content) && seen.add(content);
  });
}

function measure(
  game: Game,
  setup: ReturnType<typeof setupsOf>[number],
  seed: number,
  most: number,
  slow: number,
): Baseline {
  // How many is decided by game and preset alone, never by this machine's speed: the file must come out the same.
  const n = SLOW.has(`${game.id}/${setup.preset}`) ? slow : most;
  const scores = (policy: 'random' | 'expert' | 'nothing', count: number) =>
    Array.from({ length: count }, (_, i) => baselineScore(game, setup, policy, seed, i));
  const random = meanAndError(scores('random', n));
  const expert = meanAndError(scores('expert', n));
  const baseline = { random: random.mean, randomSe: random.se, expert: expert.mean, expertSe: expert.se, n };
  if (!policyOf(game, 'nothing')) return baseline;
  return { ...baseline, nothing: meanAndError(scores('nothing', Math.min(n, 200))).mean };
}

/** Where an episode takes long to generate or to play well. */
const SLOW = new Set([
  'chess-v1/pocket',
  'chess-v1/paper',
  'minesweeper-v1/paper',
  'nullify-v1/pocket',
  'nullify-v1/paper',
  'tetris-v1/paper',
]);

function save(path: string, all: Baselines) {
  const sorted = Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((key) => [key, all[key]]),
  );
  writeFileSync(`${path}.part`, `${JSON.stringify(sorted, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}
