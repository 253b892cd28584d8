// Mounts the page. Everything heavy (charts, games, lab) is loaded later, by whoever first needs it; what the first board
// needs is asked for before the page is built, so that both happen at once.
import { mount } from 'svelte';
import { toErrorValue } from '../errors.ts';
import App from './App.svelte';
import './app.css';
import { Session } from './state/session.svelte.ts';

const target = document.getElementById('app');
if (target) {
  const session = new Session();
  // What nobody waited for.
  addEventListener('unhandledrejection', ({ reason }) =>
    session.failures.add(toErrorValue(reason, 'worker/unhandled')),
  );
  void session.boot(location.search);
  mount(App, { target, props: { session } });
}
