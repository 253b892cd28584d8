// The theme: the system's until someone chooses (kept in storage; public/theme.js applies it before the first paint).
type Theme = 'light' | 'dark';

class ThemeState {
  #system = matchMedia('(prefers-color-scheme: dark)');
  #dark = $state(this.#system.matches);
  #chosen = $state<Theme | null>((document.documentElement.dataset.theme as Theme | undefined) ?? null);
  readonly now: Theme = $derived(this.#chosen ?? (this.#dark ? 'dark' : 'light'));

  constructor() {
    this.#system.addEventListener('change', (event) => (this.#dark = event.matches));
  }

  toggle() {
    const next: Theme = this.now === 'dark' ? 'light' : 'dark';
    const system: Theme = this.#dark ? 'dark' : 'light';
    this.#chosen = next === system ? null : next;
    if (this.#chosen) document.documentElement.dataset.theme = this.#chosen;
    else delete document.documentElement.dataset.theme;
    try {
      if (this.#chosen) localStorage.setItem('s3:theme', this.#chosen);
      else localStorage.removeItem('s3:theme');
    } catch {
      // No storage: the choice lasts as long as the page.
    }
  }
}

export const theme = new ThemeState();
