// A run's configuration: resolved settings, read with their types; which games, arms and options it means.
import type { Game, GameOptions, Preset, Split } from '../../games/contract.ts';
import { findGame, games } from '../../games/registry.ts';
import { CodedError } from '../errors.ts';
import type { JsonValue } from '../log/events.ts';
import type { LanguageModel } from '../models/types.ts';
import { plugins, resolveArm, type ResolvedArm } from './registry.ts';
import { resolveSettings, type Setting, type Settings } from './settings.ts';
import { SETTINGS } from './settingsTable.ts';

/** Settings that plug-ins and games add to the table. */
export const addedSettings: readonly Setting[] = [
  ...plugins.flatMap((plugin) => plugin.manifest.settings),
  ...[...games.values()].flatMap((game) =>
    (game.options ?? []).map((option): Setting => ({
      key: option.key,
      label: `${game.title}: ${option.key}`,
      group: 'question',
      kind: 'choice',
      choices: option.choices,
      default: option.default,
      help: option.help,
    })),
  ),
];

export const allSettings: readonly Setting[] = [...SETTINGS, ...addedSettings];

export interface RunConfig {
  settings: Settings;
  preset: Preset;
  seeds: number[];
  games: Game[];
  arms: ResolvedArm[];
  number(key: string): number;
  text(key: string): string;
  flag(key: string): boolean;
  list(key: string): (string | number)[];
  optionsOf(game: Game): GameOptions;
  splitsOf(game: Game): Split[];
  /** The model of a judge pass where it is another than the run's; null: none, or the run's own. */
  judgeModel: string | null;
}

/** Errors: settings/…, game/unknown, plugin/unknown-arm. */
export function runConfig(given: Settings): RunConfig {
  const settings = resolveSettings(given, addedSettings);
  const typed = <T extends JsonValue>(key: string, type: string) => {
    const value = settings[key];
    if (typeof value !== type) throw new CodedError('settings/bad-value', `${key} is no ${type}`);
    return value as T;
  };
  const list = (key: string) => settings[key] as (string | number)[];
  const names = list('games').map(String);
  const chosen = names.includes('all') ? [...games.values()] : names.map(requireGame);
  const links: string[] = [];
  if (settings.judge === 'oracle') links.push('oracle-judge');
  else if (settings.judge !== 'self') links.push('judge-pass');
  if (settings.guidance === 'oracle') links.push('oracle-guidance');
  if (settings.experience === 'oracle') links.push('oracle-experience');
  const arms = list('pathways').map((name) => {
    const arm = resolveArm(String(name));
    const missing = links.filter((link) => !String(name).split('@').includes(link));
    return arm.spec.baseline || missing.length === 0 ? arm : resolveArm([String(name), ...missing].join('@'));
  });
  // Who reads outcomes reads those of development instances (plugin.ts, `develop`).
  const chooser = arms.find(({ reads }) => reads.includes('verifierOutcome'));
  if (chooser && settings.heldOut === 'development') {
    throw new CodedError(
      'settings/bad-value',
      `heldOut=development: ${chooser.name} chooses on these instances`,
      'leave it out, or measure on strict ones',
    );
  }
  return {
    settings,
    preset: typed<Preset>('preset', 'string'),
    seeds: list('seeds').map(Number),
    games: chosen,
    arms,
    number: (key) => typed<number>(key, 'number'),
    text: (key) => typed<string>(key, 'string'),
    flag: (key) => typed<boolean>(key, 'boolean'),
    list,
    judgeModel: ['self', 'oracle', 'pass', settings.model].includes(settings.judge!) ? null : typed('judge', 'string'),
    optionsOf: (game) =>
      Object.fromEntries((game.options ?? []).map((option) => [option.key, String(settings[option.key])])),
    splitsOf: (game) =>
      list('split').filter(
        (split): split is Split => split === 'strict' || (game.splits ?? []).includes(split as Split),
      ),
  };
}

/** Errors: model/cannot-train when an arm trains and the model cannot be trained here. */
export function checkModel({ arms }: Pick<RunConfig, 'arms'>, { card, training }: LanguageModel): void {
  const arm = arms.find(({ spec }) => spec.trains);
  if (!arm || training) return;
  throw new CodedError(
    'model/cannot-train',
    `${arm.name} trains, and ${card.title} cannot be trained here`,
    'choose another model, or leave the arm out',
  );
}

/** Errors: game/unknown. */
export function requireGame(name: string): Game {
  const game = findGame(name);
  if (!game) throw new CodedError('game/unknown', `no game ${name}`, `one of ${[...games.keys()].join(', ')}`);
  return game;
}

/** What the log keeps of the settings: all but facts of the machine, such as the folder that a model lies in. */
export function loggedConfig(settings: Settings): Settings {
  const machine = new Set(allSettings.filter((setting) => setting.machine).map((setting) => setting.key));
  const kept = Object.fromEntries(Object.entries(settings).filter(([key]) => !machine.has(key)));
  return { ...kept, model: withoutFolder(settings.model!), judge: withoutFolder(settings.judge!) };
}

/** Of a path only its end: where a model lies on somebody's disk is nobody's business. An address is where others find it. */
const withoutFolder = (name: JsonValue): string =>
  /^(?:\w+:)?https?:/.test(String(name))
    ? String(name)
    : (String(name)
        .split(/[\\/]/)
        .findLast((part) => part !== '') ?? String(name));
