// FOR TESTS: a lab without weights or storage. The gym itself plays, with the player of player.ts; runs are kept in
// memory only. Tests serve it in place of the lab worker's script; it is no part of the page.
import { toErrorValue, CodedError } from '../../src/errors.ts';
import { runConfig } from '../../src/gym/config.ts';
import { cycle } from '../../src/gym/cycle.ts';
import { localGameHost } from '../../src/gym/host.ts';
import type { Settings } from '../../src/gym/settings.ts';
import { resolveSettings } from '../../src/gym/settings.ts';
import type { RunEvent } from '../../src/log/events.ts';
import type { RunRecord } from '../../src/log/store.ts';
import type { LabApi, LabMessage } from '../../src/workers/contract.ts';
import { serve } from '../../src/workers/wire.ts';
import { rulesOfThumb } from './player.ts';

interface Run {
  id: string;
  settings: Settings;
  events: RunEvent[];
  openedAt: number;
  state: RunRecord['state'];
}

interface Under {
  run: Run;
  paused: boolean;
  one: boolean;
  stop: boolean;
  wake: (() => void) | null;
}

const runs = new Map<string, Run>();
const blobs = new Map<string, Uint8Array>();
let say: (message: LabMessage) => void = () => {};
let under: Under | null = null;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function play(run: Run) {
  const mine: Under = { run, paused: false, one: false, stop: false, wake: null };
  under = mine;
  const { id } = run;
  try {
    say({ kind: 'state', state: 'loading', runId: id });
    for (let i = 1; i <= 4; i++) {
      say({ kind: 'loading', what: 'nano', loaded: i * 0.9e6, total: 3.6e6 });
      await sleep(120);
    }
    if (run.settings.engine === 'webgpu') {
      throw new CodedError(
        'gpu/no-adapter',
        'this browser offers no WebGPU adapter',
        'Set the engine to cpu, or use a browser with WebGPU.',
      );
    }
    say({ kind: 'state', state: 'running', runId: id });
    const items = cycle({
      config: runConfig(run.settings),
      model: rulesOfThumb(),
      host: localGameHost(),
      past: run.events,
      readBlob: async (hash) => blobs.get(hash) ?? null,
      report: () => ({ report: null, ledger: null }),
    });
    for await (const item of items) {
      if ('live' in item) {
        say({ kind: 'live', runId: id, live: item.live });
        if (item.live.kind === 'step') await sleep(item.live.phase === 'explore' ? 40 : 8);
        if (item.live.kind === 'train') await sleep(60);
        continue;
      }
      run.events.push(item.event);
      for (const [hash, bytes] of Object.entries(item.blobs ?? {})) blobs.set(hash, bytes);
      say({ kind: 'event', runId: id, event: item.event });
      if (mine.one && item.event.type === 'episode') [mine.one, mine.paused] = [false, true];
      if (mine.stop) break;
      if (!mine.paused) continue;
      say({ kind: 'state', state: 'paused', runId: id });
      await new Promise<void>((resolve) => (mine.wake = resolve));
      if (mine.stop) break;
      say({ kind: 'state', state: 'running', runId: id });
    }
    run.state = mine.stop ? 'stopped' : 'done';
    say({ kind: 'state', state: 'done', runId: id });
  } catch (error) {
    run.state = 'failed';
    say({ kind: 'error', runId: id, error: toErrorValue(error, 'worker/failed') });
    say({ kind: 'state', state: 'failed', runId: id });
  }
}

const found = (id: string) => {
  const run = runs.get(id);
  if (!run) throw new CodedError('storage/no-run', `no run ${id}`, 'it may have been deleted');
  return run;
};

const api: LabApi = {
  listen: async (listener) => void (say = listener),
  models: async () => [{ ...rulesOfThumb().card, engine: 'cpu, 2 threads' }],
  async start(settings) {
    const id = `run-${runs.size + 1}`;
    const run: Run = {
      id,
      settings: resolveSettings(settings),
      events: [],
      openedAt: 1_780_000_000_000,
      state: 'open',
    };
    runs.set(id, run);
    void play(run);
    return id;
  },
  resume: async (id) => void play(found(id)),
  async pause() {
    if (under) under.paused = true;
  },
  async stepEpisode() {
    if (!under) return;
    under.one = true;
    under.paused = false;
    under.wake?.();
  },
  async continue() {
    if (!under) return;
    under.paused = false;
    under.wake?.();
  },
  async stop() {
    if (!under) return;
    under.stop = true;
    under.wake?.();
  },
  runs: async () =>
    [...runs.values()].map(({ id, events, state, settings, openedAt }) => {
      const bytes = events.length * 2000;
      return {
        id,
        title: `nano on ${String(settings.games)}`,
        openedAt,
        events: events.length,
        state,
        settings,
        bytes,
      };
    }),
  events: async (id) => found(id).events,
  blob: async (hash) => blobs.get(hash) ?? null,
  remove: async (id) => void runs.delete(id),
  exportRun: async (id) => new Blob(found(id).events.map((event) => `${JSON.stringify(event)}\n`)),
  async importRun(file) {
    const lines = (await file.text()).split('\n').filter((line) => line !== '');
    const events = lines.map((line, i): RunEvent => {
      try {
        return JSON.parse(line) as RunEvent;
      } catch {
        throw new CodedError('import/not-json', `line ${i} is no JSON`, 'Choose a log that this program exported.');
      }
    });
    const id = `run-${runs.size + 1}`;
    const settings = events[0]?.type === 'run.opened' ? events[0].config : {};
    runs.set(id, { id, settings, events, openedAt: 1_780_000_000_000, state: 'done' });
    return id;
  },
  async verify(id) {
    await sleep(300);
    const { events } = found(id);
    return {
      ok: true,
      events: events.length,
      episodes: events.filter((one) => one.type === 'episode').length,
      differences: [],
      unchecked: [],
    };
  },
  async proveTraining() {
    throw new CodedError('training/unsupported', 'a script has no gradient', 'choose another model');
  },
};

serve(api);
