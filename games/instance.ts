// An instance is plain data; its id is the hash of its canonical content, and its role follows from the id.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Game, GameConfig, GameOptions, Json, Phase, Preset, Role, Split } from './contract.ts';
import { stream } from './rng.ts';

export interface InstanceSpec {
  preset: Preset;
  phase: Phase;
  seed: number | string;
  /** Default: exploration for `explore`, strict for `strict`. */
  role?: Role;
  split?: Split;
  options?: GameOptions;
}

export interface Instance {
  id: string;
  role: Role;
  config: GameConfig;
  content: Json;
}

/** JSON with sorted keys: equal content gives equal text. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

export function instanceId(game: Game, config: GameConfig, content: Json): string {
  const text = canonicalJson([game.id, config as unknown as Json, content]);
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Of 16 residues 0-7 are for pretraining, 8-11 exploration, 12-14 strict, 15 development (protocol.md). */
export function roleOf(id: string): Role {
  const residue = Number.parseInt(id.at(-1)!, 16);
  if (residue < 8) return 'pretraining';
  if (residue < 12) return 'exploration';
  return residue < 15 ? 'strict' : 'development';
}

export const defaultRole = (phase: Phase): Role => (phase === 'explore' ? 'exploration' : 'strict');

export function configOf(game: Game, spec: InstanceSpec): GameConfig {
  const base = game.configs[spec.preset][spec.phase];
  return game.configure?.(base, spec.split ?? 'strict', spec.options ?? {}) ?? base;
}

/** Draws instances from the seed's own streams until one has the wanted role. */
export function drawInstance(game: Game, spec: InstanceSpec): Instance {
  const config = configOf(game, spec);
  const role = spec.role ?? defaultRole(spec.phase);
  for (let attempt = 0; ; attempt++) {
    const content = game.generate(config, stream(spec.seed, game.id, 'instance', attempt));
    const id = instanceId(game, config, content);
    if (game.rolesExempt || roleOf(id) === role) return { id, role, config, content };
    // 1/16 is the rarest share; 1,000 misses in a row mean that the game has too few instances.
    if (attempt > 1000) throw new RangeError(`${game.id}: no instance with role ${role} in 1000 draws`);
  }
}
