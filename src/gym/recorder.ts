// The one way into the log: an event is made or, on resuming, taken from what is already there; either way it gets its
// place in the chain and its prompts are stored by reference. Knows no arm and no game.
import { CodedError } from '../errors.ts';
import { Chain } from '../log/chain.ts';
import type { Draft, EpisodeEvent, RunEvent, Step } from '../log/events.ts';
import { encodeTokens, PromptReader, PromptWriter } from '../log/prompts.ts';
import type { StepText } from './experience.ts';
import type { Audit } from './audit.ts';
import type { Budget } from './budget.ts';
import { Journal } from './journal.ts';
import type { Live } from './live.ts';
import type { PlayedEpisode, PlayedStep } from './play.ts';
import type { GymItem, Made } from './plugin.ts';

/** Where a log is checked and not written: who looks at its lines. */
export interface Audited {
  audit: Audit;
  journal: Journal;
  budget?: Budget;
}

export class Recorder {
  /** Every event so far, in order. */
  readonly events: RunEvent[];
  readonly journal: Journal;
  readonly audit: Audit | null;
  readonly writer = new PromptWriter();
  private readonly reader = new PromptReader();
  /** Events that the reader has taken in. */
  private folded = 0;
  /** The episode written or read last, whose prompts are still at hand. */
  private texted: { n: number; texts: StepText[] } | null = null;
  private readonly chain: Chain;
  private readonly fresh = new Map<string, Uint8Array>();
  private readonly readBlob: (hash: string) => Promise<Uint8Array | null>;

  constructor(past: readonly RunEvent[], readBlob: (hash: string) => Promise<Uint8Array | null>, audited?: Audited) {
    this.events = [...past];
    this.journal = audited?.journal ?? new Journal(past);
    this.audit = audited?.audit ?? null;
    this.chain = new Chain(past.at(-1));
    this.readBlob = readBlob;
    for (const event of past) this.writer.fold(event);
  }

  append(draft: Draft, blobs: Record<string, Uint8Array> = {}): { event: RunEvent; blobs: Record<string, Uint8Array> } {
    const event = this.chain.link({ ...draft, at: Date.now() });
    this.events.push(event);
    for (const [hash, bytes] of Object.entries(blobs)) this.fresh.set(hash, bytes);
    return { event, blobs };
  }

  /** Errors: log/missing-blob. */
  async blob(hash: string): Promise<Uint8Array> {
    const bytes = this.fresh.get(hash) ?? (await this.readBlob(hash));
    if (!bytes) throw new CodedError('log/missing-blob', `blob ${hash} is missing`, 'keep LOG.blobs beside the log');
    return bytes;
  }

  /** Takes the event from the journal, or makes it; live messages of the making pass through as they come. */
  async *record<T extends RunEvent['type']>(
    type: T,
    make: (live: (message: Live) => void) => Promise<Made<Extract<RunEvent, { type: T }>>>,
  ): AsyncGenerator<GymItem, Extract<RunEvent, { type: T }>> {
    const recorded = this.journal.take(type);
    if (recorded) {
      await this.audit?.made(recorded, () => make(() => {}));
      return recorded;
    }
    const queue: Live[] = [];
    let wake = () => {};
    const making = make((message) => {
      queue.push(message);
      wake();
    });
    const settled = making.then(
      () => true,
      () => true,
    );
    for (let over = false; !over;) {
      over = await Promise.race([settled, new Promise<false>((resolve) => (wake = () => resolve(false)))]);
      while (queue.length > 0) yield { live: queue.shift()! };
    }
    const { draft, blobs } = await making;
    const item = this.append(draft as Draft, blobs);
    yield item;
    return item.event as Extract<RunEvent, { type: T }>;
  }

  /** A played episode as an event, its prompts by reference. */
  episode(played: PlayedEpisode): { event: EpisodeEvent; blobs: Record<string, Uint8Array> } {
    const { steps, ...facts } = played;
    let before: PlayedStep | undefined;
    const written = steps.map((step): Step => {
      const { promptBlocks, promptText, promptIds, ...rest } = step;
      const prompt = this.writer.step(promptBlocks, promptText, before);
      const promptTokens = encodeTokens(promptIds, before ? [...before.promptIds, ...before.completionTokens] : []);
      before = step;
      return { ...rest, prompt, promptTokens };
    });
    const item = this.append({ type: 'episode', ...facts, steps: written });
    this.texted = {
      n: item.event.n,
      texts: steps.map(({ promptText, promptIds }) => ({ prompt: promptText, promptIds })),
    };
    return item as { event: EpisodeEvent; blobs: Record<string, Uint8Array> };
  }

  /** Prompts of an episode's steps in full: as they were played, or rebuilt from the log. */
  texts(event: EpisodeEvent): StepText[] {
    if (this.texted?.n === event.n) return this.texted.texts;
    for (; this.folded < event.n; this.folded++) this.reader.fold(this.events[this.folded]!);
    if (this.folded === event.n) this.folded += 1;
    const texts = this.reader.episode(event).map(({ text, ids }) => ({ prompt: text, promptIds: ids }));
    this.texted = { n: event.n, texts };
    return texts;
  }
}
