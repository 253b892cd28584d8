// What the page is doing: which run is shown, where it comes from, and what the buttons mean for it.
import { toErrorValue, type ErrorCode } from '../../errors.ts';
import type { Settings } from '../../gym/settings.ts';
import type { LabApi, LabMessage } from '../../workers/contract.ts';
import type { From } from '../../workers/startFrom.ts';
import { LabHolder } from '../lab.ts';
import { loadBoard } from '../now/boards.ts';
import { Reader } from '../reader/client.ts';
import { Failures } from './failures.svelte.ts';
import { Library, type Shown } from './library.svelte.ts';
import { Playback } from './playback.svelte.ts';
import { listRecordings, type Recording } from './recordings.ts';
import { changesReport, Reporter } from './reporter.ts';
import { SettingsState } from './settings.svelte.ts';
import { isModelFile, ShelfState } from './shelf.svelte.ts';
import * as unfinished from './unfinished.ts';
import { RunView } from './view.svelte.ts';

type PageState = 'recorded' | 'idle' | 'running' | 'paused' | 'done' | 'failed';
export type Source = 'none' | 'recorded' | 'stored' | 'live';

export class Session {
  readonly failures = new Failures();
  readonly settings = new SettingsState(this.failures);
  readonly reader = new Reader();
  readonly library = new Library(() => this.lab(), this.failures);
  readonly shelf = new ShelfState(this.failures);
  readonly playback = new Playback(this.reader, {
    message: (message) => this.#receive(message),
    skipped: (events) => {
      this.view.append(events);
      this.#report();
    },
    ended: () => this.#report(),
    failed: (error) => this.failures.add(toErrorValue(error, 'log/replay')),
  });
  view = $state.raw(new RunView());
  source = $state<Source>('none');
  /** An unfinished run of an earlier visit, offered to go on. */
  offered = $state.raw<unfinished.Unfinished | null>(null);
  /** Set once something has moved, or nothing will: from then on charts may load. */
  charts = $state(false);

  readonly page: PageState = $derived.by(() => {
    if (this.source === 'recorded') return 'recorded';
    const { state, closed, count, reported } = this.view;
    // A live run is done once its last numbers are on the page.
    const behind = this.source === 'live' && state === 'done' && closed !== null && reported < count;
    return state === 'loading' || behind ? 'running' : state;
  });

  #recordings: Recording[] | null = null;
  #lab = new LabHolder((message) => this.#receive(message));
  #reporter = new Reporter(this.reader, this.failures);

  async boot(search: string) {
    await this.#guard('worker/boot', async () => {
      await this.settings.load(search);
      const here = unfinished.inThisTab();
      if (here) return this.#revive(here);
      if (this.settings.autorun) return this.start();
      this.#preload(this.settings.game);
      void this.#offer();
      await this.#showRecording();
    });
  }

  /** The recording that fits the question, if there is one. */
  async #showRecording() {
    this.#clear('none');
    this.#recordings ??= await listRecordings();
    const wanted = this.#recordings.find(({ game }) => game === this.settings.game);
    // A run may have been started meanwhile.
    if (!wanted || this.source !== 'none') return;
    this.source = 'recorded';
    this.#preload(wanted.game);
    await this.playback.show(wanted);
  }

  /** The question has changed: show what fits it, unless a run is under way. */
  async asked(settings: Settings) {
    await this.#guard('import/recording', async () => {
      const before = this.settings.game;
      this.settings.use(settings);
      if (this.settings.game !== before && (this.source === 'recorded' || this.source === 'none'))
        await this.#showRecording();
    });
  }

  // The run bar

  async start(from?: From) {
    this.failures.clear();
    this.#clear('live');
    this.view.state = 'loading';
    this.offered = null;
    await this.#guard('worker/start', async () => {
      const lab = await this.lab();
      // `given` is raw state, plain data already.
      const settings = this.settings.given;
      this.view.runId = await (from ? lab.start(settings, from) : lab.start(settings));
      this.#remember();
    });
    // Only now is there something worth keeping.
    if (this.view.runId !== null) void this.library.keep();
  }

  /** Run, continue, or try again: whatever the big button means now. */
  async run() {
    if (this.page === 'running') return;
    const id = this.view.runId;
    // A run that never got as far as its first event isn't stored.
    const stored = id !== null && this.view.count > 0;
    if (!stored || this.page === 'recorded' || this.page === 'done' || this.page === 'idle') return this.start();
    await this.#guard('worker/resume', async () => {
      const lab = await this.lab();
      if (this.source === 'live' && this.page === 'paused') await lab.continue();
      else await this.#resume(id);
    });
  }

  async pause() {
    if (this.page === 'recorded') return this.playback.toggle();
    if (this.page === 'running') await this.#guard('worker/pause', async () => (await this.lab()).pause());
  }

  async step() {
    if (this.page === 'recorded') return this.playback.step();
    await this.#guard('worker/step', async () => {
      const lab = await this.lab();
      if (this.page === 'idle' || this.page === 'done') await this.start();
      else if (this.source === 'stored' && this.view.runId) await this.#resume(this.view.runId);
      if (this.page === 'failed') return;
      await lab.pause();
      await lab.stepEpisode();
    });
  }

  async stop() {
    await this.#guard('worker/stop', async () => (await this.lab()).stop());
  }

  // Stored runs

  async open(id: string) {
    await this.#guard('storage/open', async () => {
      const lab = await this.lab();
      if (this.source === 'live' && this.page === 'running') await lab.pause();
      const events = await lab.events(id);
      this.#clear('stored');
      this.view.runId = id;
      this.view.append(events);
      await this.reader.append(events);
      // The question is about what is shown.
      await this.settings.loadExtra();
      if (this.view.opened) this.settings.adopt(this.view.opened.config);
      const { closed } = this.view;
      this.view.state = closed === null ? 'paused' : closed === 'failed' ? 'failed' : 'done';
      this.charts = true;
      this.#report();
    });
  }

  async resumeOffered() {
    const { offered } = this;
    this.offered = null;
    if (!offered) return;
    await this.open(offered.id);
    if (this.view.runId === offered.id) await this.run();
  }

  async remove(id: string) {
    await this.#guard('storage/remove', async () => {
      await (await this.lab()).remove(id);
      unfinished.forget(id);
      if (this.view.runId === id) await this.#showRecording();
      await this.library.refreshRuns();
    });
  }

  /** Files that were dropped or picked: a log, or a model's. */
  async takeFiles(files: File[]) {
    if (files.some(isModelFile)) {
      const address = await this.shelf.put(files);
      if (address) await this.asked({ ...this.settings.given, model: address });
    } else if (files[0]) await this.importFile(files[0]);
  }

  async importFile(file: Blob) {
    await this.#guard('import/failed', async () => {
      const id = await (await this.lab()).importRun(file);
      await this.open(id);
    });
  }

  /** Whose log the page can give away and check. */
  get shown(): Shown {
    const { runId } = this.view;
    if (runId !== null) return { runId };
    const { recording } = this.playback;
    return recording && { recording };
  }

  #guard<T>(code: ErrorCode, work: () => T): Promise<Awaited<T> | null> {
    return this.failures.guard(code, work, () => {
      if (this.view.state === 'loading') this.view.state = 'failed';
    });
  }

  lab(): Promise<LabApi> {
    return this.#lab.get();
  }

  async #resume(id: string) {
    this.failures.clear();
    this.source = 'live';
    this.view.state = 'loading';
    await (await this.lab()).resume(id);
    this.#remember();
  }

  /** After a reload of this tab: the run is opened again, and goes on if it was running. */
  async #revive({ id, running }: { id: string; running: boolean }) {
    await this.open(id);
    if (this.view.runId !== id) {
      unfinished.forget(id);
      return this.#showRecording();
    }
    if (this.page === 'paused' && running) await this.run();
  }

  async #offer() {
    const found = await this.failures.guard('storage/offer', unfinished.lastVisit);
    if (this.source !== 'live') this.offered = found;
  }

  #clear(source: Source) {
    this.playback.close();
    this.#reporter.stop();
    this.view = new RunView();
    this.source = source;
    this.library.verified = null;
    this.#read(this.reader.reset());
  }

  #receive(message: LabMessage) {
    const { view } = this;
    if (message.kind === 'error') {
      if (this.source === 'live' && view.state !== 'done') view.state = 'failed';
      return this.failures.add(message.error);
    }
    if (this.source === 'live' && 'runId' in message && message.runId) {
      if (view.runId === null) view.runId = message.runId;
      else if (view.runId !== message.runId) return; // a run that is no longer shown
    }
    if (this.source === 'stored' || this.source === 'none') return;
    view.apply(message);
    if (message.kind === 'state') this.#remember();
    if (message.kind === 'event') {
      if (this.source === 'live') this.#read(this.reader.append([message.event]));
      if (changesReport(message.event)) this.#report();
    }
  }

  /** Nobody waits for the reader here: what fails is a card. */
  #read(work: Promise<void>) {
    void this.failures.guard('worker/reader', () => work);
  }

  /** So that the renderer comes while the log does; who draws with it asks for it again. */
  #preload(game: string) {
    void this.failures.guard('worker/board', () => loadBoard(game));
  }

  /** A board is in the page; charts may load once its frame has been painted. */
  drawn() {
    if (this.charts) return;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (this.charts) return;
        this.charts = true;
        this.#report();
      }),
    );
  }

  #report() {
    // The first board comes from the same reader: it goes first.
    if (this.source === 'recorded' && !this.charts) return;
    this.#reporter.ask(this.view);
  }

  #remember() {
    const { runId, state } = this.view;
    if (runId === null || this.source !== 'live') return;
    // Not awaited: the run goes on without being remembered.
    void this.failures.guard('storage/unfinished', () => unfinished.note(runId, state));
  }
}
