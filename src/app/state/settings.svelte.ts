// The settings of the next run: what differs from the defaults, kept in the address.
import type { ArmSpec } from '../../gym/plugin.ts';
import { resolveSettings, type Setting, type Settings } from '../../gym/settings.ts';
import { GAMES } from '../games.ts';
import type { Failures } from './failures.svelte.ts';
import { differing, fromSearch, namesMore, toSearch } from './url.ts';

export class SettingsState {
  given = $state.raw<Settings>({});
  /** What plug-ins and games add to the table; loaded when it is first needed, because the games come with it. */
  extra = $state.raw<readonly Setting[]>([]);
  /** Arms of all plug-ins, loaded with it. */
  arms = $state.raw<readonly ArmSpec[]>([]);
  readonly resolved = $derived(resolveSettings(this.given, this.extra));
  /** The first game asked about. */
  readonly game = $derived((this.resolved.games as string[])[0] ?? GAMES[0]!.id);
  readonly changed = $derived(Object.keys(this.given).length);
  autorun = false;
  #failures: Failures;

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  /** Reads the address; what could not be read is a card, and the rest counts. */
  async load(search: string) {
    if (namesMore(search)) await this.loadExtra();
    const { settings, autorun, errors } = fromSearch(search, this.extra);
    this.given = settings;
    this.autorun = autorun;
    if (errors.length === 1) this.#failures.add(errors[0]!);
    else if (errors.length > 1) {
      this.#failures.add({
        code: 'settings/bad-value',
        message: `${errors.length} things in the address could not be read`,
        hint: 'The defaults stand in for them.',
        detail: errors.map((error) => error.message).join('\n'),
      });
    }
  }

  async loadExtra() {
    if (this.arms.length > 0) return;
    await this.#failures.guard('settings/extra', async () => {
      const [{ addedSettings }, { allArms }] = await Promise.all([
        import('../../gym/config.ts'),
        import('../../gym/registry.ts'),
      ]);
      this.extra = addedSettings;
      this.arms = allArms.map(({ spec }) => spec);
    });
  }

  /** By hand: from here on a reload starts nothing by itself. */
  use(settings: Settings) {
    this.autorun = false;
    this.adopt(settings);
  }

  /** The settings of a run that is shown. */
  adopt(settings: Settings) {
    this.given = differing(settings, this.extra);
    this.write();
  }

  /** A link that others can open. */
  link() {
    return `${location.origin}${location.pathname}${toSearch(this.given, false, this.extra) || '?v=1'}`;
  }

  private write() {
    const search = toSearch(this.given, this.autorun, this.extra);
    history.replaceState(history.state, '', search || location.pathname);
  }
}
