// What a setting is; reading, checking and writing values by the table. Knows nothing of who shows it.
import { CodedError } from '../errors.ts';
import type { JsonValue } from '../log/events.ts';
import { SETTINGS } from './settingsTable.ts';

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
