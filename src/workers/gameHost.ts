// A GameHost whose games live in a pool of disposable workers. A game that does not answer dies with its worker; the
// other episodes in it are played again elsewhere from their seeds and actions, so only the one that hung is lost.
// Knows no game.
import * as Comlink from 'comlink';
import type { CheckResult } from '../../games/check.ts';
import { CodedError } from '../errors.ts';
import type { GameHost, GameReport, GameSpec, GameStart } from '../gym/host.ts';
import type { GameWorkerApi } from './game.worker.ts';
import { WorkerOwner } from './owner.ts';
import { gameWorker, userGameWorker } from './spawn.ts';

export interface PoolOptions {
  /** Default: as spawn.ts starts them, user-made games under a content policy. */
  create?: () => Worker;
  /** Workers for our games, and for each user-made one. Default 2. */
  size?: number;
  /** A step that takes longer is a game that hangs. Default 2 s. */
  stepMs?: number;
  /** Drawing an instance, or an expert's thought. Default 10 s. */
  slowMs?: number;
  readyMs?: number;
  /** Source of user-made games by their id. */
  sources?: Readonly<Record<string, string>>;
}

/** A worker and the episodes that it holds. */
class Home {
  readonly episodes = new Set<Held>();
  /** No new episode comes here: one has failed, or was left in the middle. */
  retired = false;
  isReady = false;
  readonly ready: Promise<void>;

  constructor(
    readonly owner: WorkerOwner<GameWorkerApi>,
    readonly game: string | null,
    prepare: (owner: WorkerOwner<GameWorkerApi>) => Promise<void>,
  ) {
    this.ready = prepare(owner).then(() => void (this.isReady = true));
    this.ready.catch(() => undefined); // awaited by whoever sits down here
  }
}

/** An episode: where it is now, and all that is needed to play it again elsewhere. */
interface Held {
  readonly id: string;
  readonly spec: GameSpec;
  readonly moves: (string | null)[];
  home: Home | null;
  start: GameStart | null;
  /** Its id in its worker. */
  remote: string;
  over: boolean;
  failure: CodedError | null;
  /** Calls for one episode follow one another. */
  tail: Promise<unknown>;
}

type Ask<T> = (api: Comlink.Remote<GameWorkerApi>, id: string) => Promise<T>;

const hung = (ms: number) =>
  new CodedError('game/hung', `the game did not answer within ${ms / 1000} s`, 'its worker was ended');

export function workerGameHost(options: PoolOptions = {}): GameHost {
  const { create, size = 2, stepMs = 2000, slowMs = 10_000, sources = {} } = options;
  const homes = new Set<Home>();
  const episodes = new Map<string, Held>();
  let next = 0;

  const open = (game: string | null): Home => {
    const owner = new WorkerOwner<GameWorkerApi>({
      name: 'game worker',
      create: create ?? (game === null ? gameWorker : userGameWorker),
      ...(options.readyMs === undefined ? {} : { readyMs: options.readyMs }),
    });
    const home = new Home(owner, game, async () => {
      await owner.ready();
      if (game !== null) await owner.run((api) => api.load(sources[game]!), { timeoutMs: slowMs, late: hung(slowMs) });
    });
    homes.add(home);
    return home;
  };

  const close = (home: Home) => {
    homes.delete(home);
    home.owner.terminate();
  };

  const choose = (game: string | null): Home => {
    for (const home of homes) if (home.owner.dead) homes.delete(home);
    const fit = [...homes].filter((home) => home.game === game && !home.retired);
    const least = fit.sort((a, b) => a.episodes.size - b.episodes.size)[0];
    return least && (least.episodes.size === 0 || fit.length >= size) ? least : open(game);
  };

  /** Puts the episode into a living worker, playing what has been played. */
  const seat = async (held: Held): Promise<Home> => {
    if (held.home && !held.home.owner.dead) return held.home;
    held.home?.episodes.delete(held);
    const home = choose(Object.hasOwn(sources, held.spec.game) ? held.spec.game : null);
    home.episodes.add(held);
    held.home = home;
    await home.ready;
    const { owner } = home;
    const start = await owner.run((api) => api.reset(held.spec), { timeoutMs: slowMs, late: hung(slowMs) });
    held.remote = start.id;
    for (const action of held.moves) {
      await owner.run((api) => api.step(start.id, action), { timeoutMs: stepMs, late: hung(stepMs) });
    }
    if (held.start && held.start.instance !== start.instance) {
      throw new CodedError('game/threw', 'the game drew another instance from the same seed', 'use the given rng only');
    }
    held.start = { ...start, id: held.id };
    return home;
  };

  const ask = <T>(held: Held, call: Ask<T>, timeoutMs: number): Promise<T> => {
    const attempt = async (left: number): Promise<T> => {
      if (held.failure) throw held.failure;
      try {
        const home = await seat(held);
        return await home.owner.run((api) => call(api, held.remote), { timeoutMs, late: hung(timeoutMs) });
      } catch (error) {
        const failure = error as CodedError;
        // Another episode's fault took the worker; this one is played again in the next.
        if (failure.code === 'worker/terminated' && left > 0 && episodes.has(held.id)) return attempt(left - 1);
        if (held.home) held.home.retired = true;
        if (FATAL.has(failure.code)) held.failure = failure;
        else if (held.home?.isReady && failure.code.startsWith('worker/')) {
          held.failure = new CodedError('game/crashed', failure.message, 'its worker was ended', failure.detail);
        }
        throw held.failure ?? failure;
      }
    };
    const result = held.tail.then(() => attempt(3));
    held.tail = result.catch(() => undefined);
    return result;
  };

  const held = (id: string): Held => {
    const found = episodes.get(id);
    if (!found) throw new CodedError('game/no-episode', `no episode ${id}`, 'it was released, or never reset');
    return found;
  };
  const move = async (id: string, call: Ask<GameReport>, action?: string | null): Promise<GameReport> => {
    const episode = held(id);
    const report = await ask(episode, call, stepMs);
    if (action !== undefined) episode.moves.push(action);
    episode.over = report.over;
    return report;
  };

  const release = async (id: string) => {
    const found = episodes.get(id);
    episodes.delete(id);
    const home = found?.home;
    if (!found || !home) return;
    home.episodes.delete(found);
    if (!found.over) home.retired = true;
    if (home.retired && home.episodes.size === 0) close(home);
    else if (!home.owner.dead) void home.owner.run((api) => api.release(found.remote)).catch(() => undefined);
  };

  return {
    async reset(spec) {
      const id = `g${next++}`;
      const tail = Promise.resolve();
      const held: Held = { id, spec, moves: [], home: null, start: null, remote: '', over: false, failure: null, tail };
      episodes.set(id, held);
      try {
        await ask(held, async () => undefined, slowMs);
        return held.start!;
      } catch (error) {
        await release(id);
        throw error;
      }
    },
    step: (id, action) => move(id, (api, remote) => api.step(remote, action), action),
    cut: (id) => move(id, (api, remote) => api.cut(remote)),
    expert: async (id) => ask(held(id), (api, remote) => api.expert(remote), slowMs),
    actions: async (id) => ask(held(id), (api, remote) => api.actions(remote), stepMs),
    release,
    async close() {
      episodes.clear();
      for (const home of [...homes]) close(home);
    },
  };
}

const FATAL: ReadonlySet<string> = new Set(['game/hung', 'game/threw', 'game/bad-source', 'game/no-policy']);

export interface CheckUserOptions {
  create?: () => Worker;
  seeds?: number;
  quietMs?: number;
  progress?: (check: string) => void;
}

/**
 * The conformance suite on a user-made game, in a worker of its own that dies after `quietMs` without progress.
 * Errors: game/bad-source, game/no-policy, game/hung.
 */
export async function checkUserGame(
  source: string,
  { create = userGameWorker, seeds = 200, quietMs = 2000, progress }: CheckUserOptions = {},
): Promise<CheckResult[]> {
  const owner = new WorkerOwner<GameWorkerApi>({ name: 'game worker', create });
  const quiet = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current = 'load';
  const hear = (check: string) => {
    current = check;
    progress?.(check);
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), quietMs);
  };
  try {
    await owner.ready();
    hear('load');
    await owner.run((api) => api.load(source), { signal: quiet.signal, endOnAbort: true });
    return await owner.run((api) => api.check(seeds, Comlink.proxy(hear)), { signal: quiet.signal, endOnAbort: true });
  } catch (error) {
    if (!quiet.signal.aborted) throw error;
    throw new CodedError('game/hung', `no answer for ${quietMs / 1000} s in ${current}`, 'a step must be quick');
  } finally {
    clearTimeout(timer);
    owner.terminate();
  }
}
