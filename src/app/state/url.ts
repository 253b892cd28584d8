// Settings in the address: only what differs from the default, with a version. Pure; knows nothing of the page.
import { toErrorValue, type ErrorValue } from '../../errors.ts';
import { formatSetting, parseSetting, resolveSettings, type Setting, type Settings } from '../../gym/settings.ts';
import { SETTINGS } from '../../gym/settingsTable.ts';
import type { JsonValue } from '../../log/events.ts';
import { gameId } from '../games.ts';

const URL_VERSION = '1';

interface FromUrl {
  settings: Settings;
  autorun: boolean;
  /** What could not be read; the rest still counts. */
  errors: ErrorValue[];
}

/** What differs from the preset's defaults; games by their ids. */
export function differing(given: Settings, extra: readonly Setting[] = []): Settings {
  const preset: Settings = given.preset === 'paper' ? { preset: 'paper' } : {};
  const defaults = resolveSettings(preset, extra);
  const kept: Settings = { ...preset };
  for (const { key } of [...SETTINGS, ...extra]) {
    if (!Object.hasOwn(given, key) || key === 'preset') continue;
    const value = key === 'games' ? gameIds(given[key]!) : given[key]!;
    if (formatSetting(value) !== formatSetting(defaults[key]!)) kept[key] = value;
  }
  return kept;
}

export function toSearch(given: Settings, autorun = false, extra: readonly Setting[] = []): string {
  const kept = differing(given, extra);
  const parts = Object.entries(kept).map(([key, value]) => `${key}=${encode(formatSetting(value))}`);
  if (autorun) parts.push('autorun=1');
  return parts.length === 0 ? '' : `?v=${URL_VERSION}&${parts.join('&')}`;
}

/** Whether the address names a setting that the table alone doesn't have: a plug-in's, or a game's. */
export const namesMore = (search: string) =>
  [...new URLSearchParams(search).keys()].some(
    (key) => !['v', 'autorun'].includes(key) && !SETTINGS.some((setting) => setting.key === key),
  );

export function fromSearch(search: string, extra: readonly Setting[] = []): FromUrl {
  const query = new URLSearchParams(search);
  const settings: Settings = {};
  const errors: ErrorValue[] = [];
  const version = query.get('v');
  if (version !== null && version !== URL_VERSION) {
    errors.push({
      code: 'settings/version',
      message: `this address has version ${version} of the settings`,
      hint: 'It may have been made by a newer page; check the settings before a run.',
    });
  }
  for (const [key, text] of query) {
    const setting = [...SETTINGS, ...extra].find((item) => item.key === key);
    if (['v', 'autorun'].includes(key)) continue;
    if (!setting) {
      errors.push({
        code: 'settings/unknown',
        message: `no setting ${key}`,
        hint: 'The address may have a slip in it.',
      });
      continue;
    }
    try {
      settings[key] = parseSetting(setting, text);
    } catch (error) {
      errors.push(toErrorValue(error, 'settings/bad-value'));
    }
  }
  const autorun = ['1', 'true'].includes(query.get('autorun') ?? '');
  return { settings: differing(settings, extra), autorun, errors };
}

/** `snake` and `snake-v1` are the same game. */
const gameIds = (games: JsonValue) =>
  Array.isArray(games) ? games.map((game) => (typeof game === 'string' ? gameId(game) : game)) : games;

// Commas stay readable.
const encode = (text: string) => encodeURIComponent(text).replaceAll('%2C', ',');
