// FOR TESTS: a page that hands a user-made game to a worker as it hands runs to its lab. `play(extra)` resolves to what a
// game found that runs `extra` when it is loaded, or to the code of the error.
import { startInheriting } from '../../src/workers/inherit.ts';
import { countSource } from '../faults/games.ts';
import script from './user-game.worker.ts?worker&url';

const play = (extra: string) =>
  new Promise((resolve) => {
    const lab = startInheriting(new URL(script, import.meta.url).href, 'lab');
    lab.onmessage = ({ data }) => resolve(data);
    lab.onerror = ({ message }) => resolve(message);
    lab.postMessage(countSource('count-v1', extra));
  });
Object.assign(window, { play });
