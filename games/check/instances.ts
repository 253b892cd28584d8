// Checks of instances: many seeds build, are solvable where promised, follow the published shares, and fill every role.
import { ROLES } from '../contract.ts';
import { canonicalJson, drawInstance, instanceId, roleOf } from '../instance.ts';
import { stream } from '../rng.ts';
import { must, type Case, type Check, type Context } from './context.ts';

export const instances: Check = (context) => {
  const { game, cases, seeds } = context;
  let built = 0;
  for (const which of cases) {
    const { config, label } = which;
    for (let seed = 0; seed < seeds; seed++) {
      const content = game.generate(config, stream(seed, game.id, 'check'));
      must(
        canonicalJson(JSON.parse(JSON.stringify(content))) === canonicalJson(content),
        () => `${label}: seed ${seed} is no plain data`,
      );
      must(!game.solvable || game.solvable(config, content), () => `${label}: seed ${seed} is not solvable`);
      if (seed % 10 === 0) {
        const state = game.start(config, content);
        must(game.score(config, state) === 0, () => `${label}: seed ${seed} starts with a score`);
        must(game.board(config, state) !== '', () => `${label}: seed ${seed} has no board`);
      }
      built++;
    }
  }
  return `${built} built${game.solvable ? ' and solvable' : ''}`;
};

export const levels: Check = (context) => {
  const { game, cases, seeds } = context;
  if (!game.levels) return 'no levels are published';
  for (const which of cases) {
    const shares = game.levels.shares(which.config);
    if (Object.keys(shares).length === 0) continue;
    const total = Object.values(shares).reduce((a, b) => a + b, 0);
    must(Math.abs(total - 1) < 1e-9, () => `${which.label}: shares add up to ${total}`);
    // Many shares are tested: one outside 3 sigma is looked at again on four times as many fresh seeds.
    const off = outside(context, which, shares, seeds, 'first') && outside(context, which, shares, 4 * seeds, 'second');
    must(!off, () => `${which.label}: ${off}`);
  }
  return `${cases.length} configurations within 3 sigma`;
};

function outside(
  { game }: Context,
  { config }: Case,
  shares: Readonly<Record<string, number>>,
  n: number,
  name: string,
) {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < n; seed++) {
    const level = game.levels!.of(config, game.generate(config, stream(seed, game.id, 'levels', name)));
    counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  for (const level of new Set([...counts.keys(), ...Object.keys(shares)])) {
    const p = Object.hasOwn(shares, level) ? shares[level]! : 0;
    const count = counts.get(level) ?? 0;
    const sigma = Math.sqrt(n * p * (1 - p));
    if (Math.abs(count - n * p) > 3 * sigma + 1e-9) {
      return `level ${level}: ${count} of ${n}, published ${p.toFixed(4)}`;
    }
  }
  return '';
}

export const roles: Check = ({ game, cases }) => {
  const seen = new Map<string, string>();
  for (const { label, preset, phase, split, options, config } of cases) {
    if (Object.keys(options).length > 0) continue;
    for (const role of ROLES) {
      for (let seed = 0; seed < 3; seed++) {
        const instance = drawInstance(game, { preset, phase, split, options, seed, role });
        must(
          instance.id === instanceId(game, config, instance.content),
          () => `${label}: the id is not the content's hash`,
        );
        if (game.rolesExempt) continue;
        must(roleOf(instance.id) === role, () => `${label}: an instance for ${role} has another role`);
        must((seen.get(instance.id) ?? role) === role, () => `${label}: an instance occurs in two roles`);
        seen.set(instance.id, role);
      }
    }
  }
  return game.rolesExempt ? 'exempt' : `${seen.size} instances in ${ROLES.length} roles`;
};
