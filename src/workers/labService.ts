// The lab: opens runs, goes on with them, keeps and reads them; one at a time. Everything it stands on is handed to it,
// so that it works in a worker, in a test, and without a browser. Knows no page.
import { CodedError, toErrorValue } from '../errors.ts';
import { runConfig } from '../gym/config.ts';
import type { cycle, RunInput } from '../gym/cycle.ts';
import { beginningOf, type StartFrom } from '../gym/startFrom.ts';
import type { GameHost } from '../gym/host.ts';
import type { Live } from '../gym/live.ts';
import type { Settings } from '../gym/settings.ts';
import { verifyLog } from '../gym/verify.ts';
import { hashBytes } from '../hash.ts';
import type { RunEvent } from '../log/events.ts';
import { eventsOf, newRunId, type RunStore } from '../log/store.ts';
import { exportRun, importRun } from '../log/transfer.ts';
import type { LanguageModel, ModelCard, ModelText } from '../models/types.ts';
import type { LabApi, LabMessage, RunState } from './contract.ts';
import { proveTraining, type TrainingProof } from './proof.ts';
import { ActiveRun } from './run.ts';
import { findBeginning, type From } from './startFrom.ts';
import { Throttle } from './throttle.ts';

export interface LabServices {
  /** Errors: storage/blocked, storage/newer. */
  openStore(): Promise<RunStore>;
  /** `gone` is told when the model has died for good: it is not asked again. */
  openModel(
    settings: Settings,
    loading: (what: string, loaded: number, total: number | null) => void,
    gone: () => void,
  ): Promise<LanguageModel>;
  openHost(): GameHost;
  models(): Promise<ModelCard[]>;
  /** Errors: storage/locked. */
  lock(title: string): Promise<() => void>;
  report: RunInput['report'];
  /** The tokenizer of a model by the name that a log gives it; null where it is not at hand. */
  text?(model: string): Promise<ModelText | null>;
  cycle?: typeof cycle;
}

/** What a run holds. */
interface Opened {
  runId: string;
  store: RunStore;
  model: LanguageModel;
  judge: LanguageModel | null;
  release: () => void;
  /** Its settings as they were asked for. */
  given: Settings;
}

export class Lab implements LabApi {
  private listener: (message: LabMessage) => unknown = () => undefined;
  private stored: Promise<RunStore> | null = null;
  private loaded: { key: string; model: LanguageModel } | null = null;
  /** `over`: also what the run held has been let go. */
  private active: { runId: string; run: ActiveRun; over: Promise<void> } | null = null;
  private opening = false;
  private readonly services: LabServices;

  constructor(services: LabServices) {
    this.services = services;
  }

  async listen(listener: (message: LabMessage) => void) {
    this.listener = listener;
    const { warning } = await this.store();
    if (warning) this.say({ kind: 'error', runId: null, error: warning });
  }

  models() {
    return this.services.models();
  }

  async start(settings: Settings, from?: From): Promise<string> {
    const runId = newRunId();
    await this.open(runId, settings, [], from);
    return runId;
  }

  async resume(runId: string) {
    if (this.active?.runId === runId && this.active.run.paused) return this.continue();
    const store = await this.store();
    const record = await store.run(runId);
    const past = await this.events(runId);
    if (past.at(-1)?.type === 'run.closed') {
      throw new CodedError('log/closed', `run ${runId} is finished`, 'start a new one');
    }
    await this.open(runId, { ...record.settings, ...record.given }, past);
  }

  async pause() {
    await this.current().pause();
  }

  async stepEpisode() {
    this.current().continue(1);
  }

  async continue() {
    this.current().continue();
  }

  async stop() {
    const { active } = this;
    await this.current().stop();
    await active?.over;
  }

  async runs() {
    return (await this.store()).runs();
  }

  async events(runId: string) {
    const events: RunEvent[] = [];
    for await (const event of eventsOf(await this.store(), runId)) events.push(event);
    return events;
  }

  async blob(hash: string) {
    return (await this.store()).blob(hash);
  }

  async remove(runId: string) {
    if (this.active?.runId === runId) await this.leave();
    await (await this.store()).remove(runId);
  }

  async exportRun(runId: string, options?: { blobs?: boolean }) {
    return exportRun(await this.store(), runId, options);
  }

  async importRun(file: Blob) {
    return importRun(await this.store(), file);
  }

  async verify(runId: string) {
    const store = await this.store();
    const { report } = this.services;
    const readBlob = (hash: string) => store.blob(hash);
    const events = await this.events(runId);
    const [opened] = events;
    const name = opened?.type === 'run.opened' ? String(opened.config.model) : '';
    const text = (await this.services.text?.(name)) ?? null;
    return verifyLog(events, { report, readBlob, hashBlob: hashBytes, text });
  }

  async proveTraining(
    runId: string,
    adapter: string,
    tensor: string,
    progress: (done: number, total: number) => void,
  ): Promise<TrainingProof> {
    const store = await this.store();
    const run = { events: await this.events(runId), blob: (hash: string) => store.blob(hash) };
    const prove = async (model: LanguageModel) => proveTraining(model, run, adapter, tensor, progress);
    if (this.opening) throw new CodedError('worker/busy', 'a run is being opened', 'wait a moment');
    if (this.active) {
      if (this.active.runId !== runId) throw new CodedError('worker/busy', 'another run is under way', 'stop it first');
      if (!this.loaded) throw new CodedError('model/not-open', 'the run’s model is gone', 'let the run go on first');
      return prove(this.loaded.model);
    }
    // Nobody else may use the GPU meanwhile, here or in another tab.
    this.opening = true;
    let release: () => void = () => {};
    try {
      const { settings, given } = await store.run(runId);
      release = await this.services.lock('a check of a gradient');
      return await prove(await this.model(runConfig({ ...settings, ...given }).settings));
    } finally {
      release();
      this.opening = false;
    }
  }

  /** For the end of the worker: the run can be gone on with. */
  async close() {
    await this.leave();
    await this.loaded?.model.close();
  }

  private async leave() {
    const { active } = this;
    await active?.run.leave();
    await active?.over;
  }

  private async open(runId: string, settings: Settings, past: RunEvent[], from?: From) {
    const config = runConfig(settings);
    if (this.opening) throw new CodedError('worker/busy', 'a run is being opened', 'wait a moment');
    if (this.active && !this.active.run.paused)
      throw new CodedError('worker/busy', 'a run is under way', 'pause or stop it first');
    // Before anything is waited for, so that nobody else comes between.
    this.opening = true;
    let release: () => void = () => {};
    let judge: LanguageModel | null = null;
    try {
      await this.leave();
      const title = `${config.games.map((game) => game.title).join(', ')}: ${config.arms.map(({ title }) => title).join(', ')}`;
      release = await this.services.lock(title);
      this.state('loading', runId);
      const store = await this.store();
      const model = await this.model(config.settings);
      if (config.judgeModel !== null) judge = await this.judge(config.settings, config.judgeModel);
      const begin = from ? await findBeginning(store, from) : await beginningOf(past, (hash) => store.blob(hash));
      await this.drive({ runId, store, model, judge, release, given: settings }, { config, past, from: begin });
    } catch (error) {
      release();
      if (!this.active) {
        await judge?.close().catch(() => undefined);
        this.state('failed', runId);
      }
      throw error;
    } finally {
      this.opening = false;
    }
  }

  private async drive(
    { runId, store, model, judge, release, given }: Opened,
    input: Pick<RunInput, 'config' | 'past'> & { from: StartFrom | null },
  ) {
    const host = this.services.openHost();
    const shown = new Throttle<Live>((live) => this.say({ kind: 'live', runId, live }));
    const run = new ActiveRun(
      {
        ...input,
        model,
        ...(judge ? { judge } : {}),
        host,
        readBlob: (hash) => store.blob(hash),
        report: this.services.report,
      },
      (event, blobs) => store.append(runId, event, blobs, event.type === 'run.opened' ? given : undefined),
      {
        event: (event) => {
          shown.flush();
          this.say({ kind: 'event', runId, event });
        },
        live: (live) => shown.push(live),
        state: (state) => this.state(state, runId),
        failed: (error) => this.say({ kind: 'error', runId, error }),
      },
      this.services.cycle,
    );
    const over = run.over.then(async () => {
      if (this.active?.run === run) this.active = null;
      await host.close().catch(() => undefined);
      await judge?.close().catch(() => undefined);
      release();
    });
    this.active = { runId, run, over };
    await run.opened;
  }

  /** Kept for the next run with the same model on the same machine settings. */
  private async model(settings: Settings): Promise<LanguageModel> {
    const key = JSON.stringify([settings.model, settings.engine, settings.threads, settings.memory]);
    if (this.loaded?.key === key) return this.loaded.model;
    await this.forget();
    // A dead worker's calls fail the run; the next one starts with a new worker. One may die before it is open, too.
    let kept: typeof this.loaded = null;
    const gone = () => {
      if (kept && this.loaded === kept) void this.forget();
    };
    const model = await this.services.openModel(settings, this.loading, gone);
    kept = this.loaded = { key, model };
    return model;
  }

  /** The model of a judge pass, for this run only: where it dies, the run fails and keeps its own model. */
  private judge(settings: Settings, name: string): Promise<LanguageModel> {
    return this.services.openModel({ ...settings, model: name }, this.loading, () => undefined);
  }

  private readonly loading = (what: string, loaded: number, total: number | null) =>
    this.say({ kind: 'loading', what, loaded, total });

  /** The model is gone or no longer wanted; the next run opens one again. */
  async forget() {
    const { loaded } = this;
    this.loaded = null;
    await loaded?.model.close();
  }

  /** Another tab computes now: what is not in use here is given back. */
  async rest() {
    if (!this.active && !this.opening) await this.forget();
  }

  private store(): Promise<RunStore> {
    this.stored ??= this.services.openStore().catch((error: unknown) => {
      this.stored = null;
      throw error;
    });
    return this.stored;
  }

  private current(): ActiveRun {
    if (!this.active) throw new CodedError('worker/no-run', 'no run is under way', 'start or resume one');
    return this.active.run;
  }

  private state(state: RunState, runId: string) {
    this.say({ kind: 'state', state, runId });
  }

  private say(message: LabMessage) {
    // The listener is in the page: it may be gone, and nobody here waits for it.
    Promise.resolve(this.listener(message)).catch((error: unknown) => {
      console.warn(toErrorValue(error, 'worker/listener').message);
    });
  }
}
