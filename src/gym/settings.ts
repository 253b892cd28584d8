// The one table of settings: form, URL, flags, presets and docs all derive from it. Knows nothing of who shows it.
import { CodedError } from '../errors.ts';
import type { JsonValue } from '../log/events.ts';

export type SettingKind =
  | { kind: 'integer'; range: readonly [number, number] }
  | { kind: 'number'; range: readonly [number, number] }
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'list'; choices?: readonly string[] }
  | { kind: 'flag' }
  | { kind: 'text' };

export type Setting = SettingKind & {
  key: string;
  /** Short name for a form. */
  label: string;
  help: string;
  default: JsonValue;
  /** Other default under the `paper` preset. */
  paper?: JsonValue;
  group: 'question' | 'budget' | 'decoding' | 'judging' | 'memory' | 'training' | 'controls' | 'machine';
  /** Depends on the machine only: kept out of the log's config, so that it cannot change a result's identity. */
  machine?: true;
};

export const SETTINGS: readonly Setting[] = [
  {
    key: 'model',
    label: 'Model',
    group: 'question',
    kind: 'text',
    default: 'nano',
    help: 'nano, a folder, or a GGUF file',
  },
  { key: 'games', label: 'Games', group: 'question', kind: 'list', default: ['snake-v1'], help: 'game names, or all' },
  {
    key: 'pathways',
    label: 'Arms',
    group: 'question',
    kind: 'list',
    default: ['frozen', 'history', 'summary', 'training'],
    help: 'arms to run; frozen is the null that claims are held against',
  },
  {
    key: 'preset',
    label: 'Preset',
    group: 'question',
    kind: 'choice',
    choices: ['pocket', 'paper'],
    default: 'pocket',
    help: 'pocket: small boards, more held-out instances; paper: the sizes of the publication',
  },
  {
    key: 'seeds',
    label: 'Run seeds',
    group: 'question',
    kind: 'list',
    default: [1],
    help: 'one run a seed; six or more make a claim',
  },

  {
    key: 'explore',
    label: 'Exploration episodes',
    group: 'budget',
    kind: 'integer',
    range: [0, 1000],
    default: 12,
    paper: 30,
    help: 'episodes each arm plays for itself',
  },
  {
    key: 'every',
    label: 'Checkpoint every',
    group: 'budget',
    kind: 'integer',
    range: [1, 1000],
    default: 3,
    paper: 3,
    help: 'exploration episodes between checkpoints',
  },
  {
    key: 'strict',
    label: 'Held-out instances',
    group: 'budget',
    kind: 'integer',
    range: [1, 1000],
    default: 30,
    paper: 3,
    help: 'strict instances at each checkpoint, the same for all arms',
  },
  {
    key: 'replicates',
    label: 'Replicates',
    group: 'budget',
    kind: 'integer',
    range: [1, 64],
    default: 1,
    help: 'decode seeds per strict instance',
  },
  {
    key: 'frozenReplicates',
    label: 'Replicates of frozen',
    group: 'budget',
    kind: 'integer',
    range: [1, 64],
    default: 4,
    help: 'frozen is evaluated once, with this many decode seeds',
  },
  {
    key: 'split',
    label: 'Splits',
    group: 'budget',
    kind: 'list',
    choices: ['strict', 'unseen'],
    default: ['strict', 'unseen'],
    help: 'evaluation splits; unseen where a game has one',
  },
  {
    key: 'inputTokens',
    label: 'Input budget',
    group: 'budget',
    kind: 'integer',
    range: [64, 1000000],
    default: 0,
    paper: 100000,
    help: 'tokens a prompt may have; 0: what the model can read',
  },
  {
    key: 'outputTokens',
    label: 'Output budget',
    group: 'budget',
    kind: 'integer',
    range: [4, 100000],
    default: 48,
    paper: 14000,
    help: 'tokens of one answer',
  },
  {
    key: 'summaryTokens',
    label: 'Summary budget',
    group: 'budget',
    kind: 'integer',
    range: [4, 100000],
    default: 64,
    paper: 14000,
    help: 'tokens of one summary',
  },

  {
    key: 'exploreTemperature',
    label: 'Exploration temperature',
    group: 'decoding',
    kind: 'number',
    range: [0, 5],
    default: 1,
    help: 'sampling while exploring',
  },
  {
    key: 'temperature',
    label: 'Strict temperature',
    group: 'decoding',
    kind: 'number',
    range: [0, 5],
    default: 0.7,
    help: 'sampling in held-out episodes, the same for all arms',
  },
  {
    key: 'greedyScore',
    label: 'Greedy score',
    group: 'decoding',
    kind: 'flag',
    default: true,
    help: 'the score’s number is decoded greedily',
  },
  {
    key: 'constrain',
    label: 'Constrained decoding',
    group: 'decoding',
    kind: 'choice',
    choices: ['off', 'frame', 'actions'],
    default: 'off',
    help: 'off; frame: the answer line’s form; actions: form and action grammar',
  },

  {
    key: 'judge',
    label: 'Judge',
    group: 'judging',
    kind: 'text',
    default: 'self',
    help: 'self: the score in the answer; oracle: the verifier’s reward; or a model',
  },
  {
    key: 'guidance',
    label: 'Guidance',
    group: 'judging',
    kind: 'choice',
    choices: ['self', 'oracle'],
    default: 'self',
    help: 'oracle: the game’s true advice instead of the model’s own tips',
  },
  {
    key: 'experience',
    label: 'Experience',
    group: 'judging',
    kind: 'choice',
    choices: ['self', 'oracle'],
    default: 'self',
    help: 'oracle: expert actions while exploring; the model still scores each',
  },

  {
    key: 'historyEpisodes',
    label: 'Episodes in history',
    group: 'memory',
    kind: 'integer',
    range: [1, 1000],
    default: 4,
    paper: 1000,
    help: 'most earlier episodes shown by the history arms',
  },

  {
    key: 'keep',
    label: 'Kept steps',
    group: 'training',
    kind: 'choice',
    choices: ['positive', 'upper', 'episodes'],
    default: 'positive',
    help: 'positive: steps with s > 0; upper: the upper part of the block; episodes: whole episodes by their sum of s',
  },
  {
    key: 'keepShare',
    label: 'Kept share',
    group: 'training',
    kind: 'number',
    range: [0.01, 1],
    default: 0.34,
    help: 'share kept by upper and episodes',
  },
  {
    key: 'correct',
    label: 'Correction',
    group: 'training',
    kind: 'flag',
    default: false,
    paper: true,
    help: 'low-scored actions are replaced by another that the model proposes, instead of dropped',
  },
  {
    key: 'rank',
    label: 'LoRA rank',
    group: 'training',
    kind: 'integer',
    range: [1, 256],
    default: 8,
    help: 'rank of the adapter',
  },
  {
    key: 'alpha',
    label: 'LoRA alpha',
    group: 'training',
    kind: 'number',
    range: [0.001, 1024],
    default: 16,
    help: 'scale is alpha / rank',
  },
  {
    key: 'lr',
    label: 'Learning rate',
    group: 'training',
    kind: 'number',
    range: [0, 1],
    default: 0.0003,
    help: 'AdamW',
  },
  {
    key: 'trainSteps',
    label: 'Steps an update',
    group: 'training',
    kind: 'integer',
    range: [1, 10000],
    default: 6,
    help: 'optimiser steps at each checkpoint',
  },
  {
    key: 'trainBatch',
    label: 'Episodes a step',
    group: 'training',
    kind: 'integer',
    range: [1, 1024],
    default: 8,
    help: 'sequences in an optimiser step',
  },
  {
    key: 'trainWindow',
    label: 'Training window',
    group: 'training',
    kind: 'choice',
    choices: ['block', 'all'],
    default: 'all',
    paper: 'block',
    help: 'block: the episodes since the last update; all: every episode so far',
  },
  {
    key: 'guardInvalid',
    label: 'Collapse guard: invalid',
    group: 'training',
    kind: 'number',
    range: [0, 1],
    default: 0.3,
    help: 'share of invalid answers above which training stops',
  },
  {
    key: 'guardKl',
    label: 'Collapse guard: KL',
    group: 'training',
    kind: 'number',
    range: [0, 100],
    default: 2,
    help: 'nats a token between old and new adapter above which an update is refused',
  },

  {
    key: 'heldOut',
    label: 'Held-out role',
    group: 'controls',
    kind: 'choice',
    choices: ['strict', 'development'],
    default: 'strict',
    help: 'development: measured on development instances, for choosing settings; never a claim',
  },
  {
    key: 'sharpTemperatures',
    label: 'Temperatures of frozen-sharp',
    group: 'controls',
    kind: 'list',
    default: [0.1, 0.3, 0.5, 0.7, 1],
    help: 'tried on development instances',
  },
  {
    key: 'development',
    label: 'Development instances',
    group: 'controls',
    kind: 'integer',
    range: [1, 1000],
    default: 30,
    help: 'instances for choosing settings and checkpoints',
  },

  {
    key: 'engine',
    label: 'Engine',
    group: 'machine',
    kind: 'choice',
    choices: ['auto', 'cpu', 'webgpu'],
    default: 'auto',
    machine: true,
    help: 'which executor computes',
  },
  {
    key: 'threads',
    label: 'Threads',
    group: 'machine',
    kind: 'integer',
    range: [0, 64],
    default: 0,
    machine: true,
    help: '0: as many as this machine offers, up to 4',
  },
];

export type Settings = Record<string, JsonValue>;

/** Every key with its default under the preset, with `given` on top. Errors: settings/unknown, settings/bad-value. */
export function resolveSettings(given: Settings, extra: readonly Setting[] = []): Settings {
  const table = [...SETTINGS, ...extra];
  const known = new Map(table.map((setting) => [setting.key, setting]));
  for (const key of Object.keys(given)) {
    if (!known.has(key))
      throw new CodedError('settings/unknown', `no setting ${key}`, `one of ${[...known.keys()].join(', ')}`);
  }
  const paper = given.preset === 'paper';
  const resolved: Settings = {};
  for (const setting of table) {
    const fallback = paper && setting.paper !== undefined ? setting.paper : setting.default;
    resolved[setting.key] = Object.hasOwn(given, setting.key) ? check(setting, given[setting.key]!) : fallback;
  }
  return resolved;
}

/** Reads a setting from text, as flags and URLs carry it. */
export function parseSetting(setting: Setting, text: string): JsonValue {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return check(setting, text.trim() === '' ? Number.NaN : Number(text));
    case 'flag':
      if (!['true', 'false', 'on', 'off', '1', '0'].includes(text)) throw bad(setting, text);
      return text === 'true' || text === 'on' || text === '1';
    case 'list':
      return check(
        setting,
        text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
          .map((item) => (typeof (setting.default as JsonValue[])[0] === 'number' ? Number(item) : item)),
      );
    case 'choice':
    case 'text':
      return check(setting, text);
    default:
      return setting satisfies never;
  }
}

/** The table's own text of a value, the inverse of parseSetting. */
export function formatSetting(value: JsonValue): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function check(setting: Setting, value: JsonValue): JsonValue {
  const fits = (): boolean => {
    switch (setting.kind) {
      case 'integer':
        return (
          Number.isInteger(value) &&
          (value === setting.default ||
            ((value as number) >= setting.range[0] && (value as number) <= setting.range[1]))
        );
      case 'number':
        return typeof value === 'number' && value >= setting.range[0] && value <= setting.range[1];
      case 'choice':
        return typeof value === 'string' && setting.choices.includes(value);
      case 'list': {
        if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
        const numbers = typeof (setting.default as JsonValue[])[0] === 'number';
        return value.every((item) =>
          numbers
            ? Number.isFinite(item) && (item as number) >= 0
            : typeof item === 'string' && (setting.choices?.includes(item) ?? true),
        );
      }
      case 'flag':
        return typeof value === 'boolean';
      case 'text':
        return typeof value === 'string' && value.length > 0 && value.length < 2000;
      default:
        return setting satisfies never;
    }
  };
  if (!fits()) throw bad(setting, formatSetting(value));
  return value;
}

function bad(setting: Setting, text: string) {
  const expected =
    setting.kind === 'integer' || setting.kind === 'number'
      ? `a ${setting.kind === 'integer' ? 'whole number' : 'number'} from ${setting.range[0]} to ${setting.range[1]}`
      : 'choices' in setting && setting.choices
        ? `${setting.kind === 'list' ? 'any' : 'one'} of ${setting.choices.join(', ')}`
        : setting.kind === 'list'
          ? 'a list without repeats'
          : setting.kind;
  return new CodedError('settings/bad-value', `${setting.key}=${text}: expected ${expected}`, setting.help);
}
