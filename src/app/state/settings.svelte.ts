// The settings of the next run: what differs from the defaults, kept in the address.
import type { JsonValue } from '../../log/events.ts';
import { resolveSettings, type Settings } from '../../gym/settings.ts';
import { differing, fromSearch, toSearch } from './url.ts';

export class SettingsState {
  given = $state.raw<Settings>({});
  readonly resolved = $derived(resolveSettings(this.given));
  readonly changed = $derived(Object.keys(this.given).length);
  autorun = false;

  /** Reads the address; returns what could not be read. */
  load(search: string) {
    const { settings, autorun, errors } = fromSearch(search);
    this.given = settings;
    this.autorun = autorun;
    return errors;
  }

  set(key: string, value: JsonValue) {
    this.use({ ...this.given, [key]: value });
  }

  use(settings: Settings) {
    this.given = differing(settings);
    this.write();
  }

  reset() {
    this.use({});
  }

  /** A link that others can open. */
  link() {
    return `${location.origin}${location.pathname}${toSearch(this.given) || '?v=1'}`;
  }

  private write() {
    const search = toSearch(this.given, this.autorun);
    history.replaceState(history.state, '', search || location.pathname);
  }
}
