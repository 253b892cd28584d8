// A disposable worker that plays episodes of our games, or of one user-made game. Whoever owns it ends it when it does
// not answer (gameHost.ts). Knows no model and no log.
import { checkGame, type CheckResult } from '../../games/check.ts';
import type { Game } from '../../games/contract.ts';
import { findGame } from '../../games/registry.ts';
import { readUserGame } from '../../games/userGame.ts';
import { CodedError } from '../errors.ts';
import { localGameHost, type GameHost } from '../gym/host.ts';
import { closeDoors, underPolicy } from './sandbox.ts';
import { serve } from './wire.ts';

export interface GameWorkerApi extends GameHost {
  /** Turns this worker into one for that game alone; resolves to its id. Errors: game/bad-source, game/no-policy. */
  load(source: string): Promise<string>;
  /** The conformance suite on the loaded game; `progress` is called a few times a second while the game answers. */
  check(seeds: number, progress: (check: string) => void): Promise<CheckResult[]>;
}

let user: Game | null = null;

const api: GameWorkerApi = {
  ...localGameHost((name) => (user ? (user.id === name ? user : undefined) : findGame(name))),
  async load(source) {
    if (!(await underPolicy())) {
      throw new CodedError(
        'game/no-policy',
        'no content policy guards this worker, so a game could load code from anywhere',
        'open the page by npm start, or in another browser',
      );
    }
    closeDoors();
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      const module = (await import(/* @vite-ignore */ url)) as { default?: unknown };
      user = readUserGame(module.default);
      return user.id;
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      throw new CodedError('game/bad-source', message, 'a module that default-exports a game (games/README.md)', stack);
    } finally {
      URL.revokeObjectURL(url);
    }
  },
  async check(seeds, progress) {
    if (!user) throw new CodedError('game/unknown', 'no game was loaded');
    let told = 0;
    const onProgress = (check: string) => {
      const now = performance.now();
      if (now - told < 200) return;
      told = now;
      progress(check);
    };
    return checkGame(user, { seeds, onProgress });
  },
};

serve(api);
