// Prompts by reference: what the log already holds is named by its hash, not written again.
// Rule: a text is a list of parts, literal or the hash of a text registered earlier in the same log. Registered are, in
// the order of the log, each literal part longer than 64 characters and then each whole text. Knows no prompt's meaning.
import { CodedError } from '../errors.ts';
import { hashText } from '../hash.ts';
import type { EpisodeEvent, PromptText, PromptTokens, RunEvent } from './events.ts';

/** Literal parts longer than this are registered; a shorter one is no longer than its reference. */
export const REGISTER_FROM = 64;
/** Largest text a reader rebuilds, in characters and parts: parts that refer to parts could grow without end. */
const LARGEST = 1 << 26;

/** Ids that this prompt does not share with the step before (its prompt and its completion). */
export function encodeTokens(ids: readonly number[], previous: readonly number[] = []): PromptTokens {
  const most = Math.min(ids.length, previous.length);
  let keep = 0;
  while (keep < most && ids[keep] === previous[keep]) keep += 1;
  return { keep, ids: ids.slice(keep) };
}

/** Errors: log/bad-prompt when more is kept than there was. */
export function decodeTokens(tokens: PromptTokens, previous: readonly number[] = []): number[] {
  if (tokens.keep > previous.length) {
    throw bad(`keeps ${tokens.keep} ids of a step that had ${previous.length}`);
  }
  return [...previous.slice(0, tokens.keep), ...tokens.ids];
}

/**
 * Encodes prompts in the order of the log: call it when an episode becomes an event, not while several are played.
 * Remembers hashes only: those of first steps and single calls for the whole log, those of later steps for the episode.
 */
export class PromptWriter {
  private readonly lasting = new Set<string>();
  private readonly inEpisode = new Set<string>();
  private before: { text: string; sha256: string } | null = null;

  /** `past`: the log so far, when a run goes on. */
  constructor(past: Iterable<RunEvent> = []) {
    for (const event of past) this.fold(event);
  }

  /**
   * `blocks`: texts that occur in `full` in this order and are likely to occur again (rules and hints). `previous`: the
   * step before in the same episode; absent on the first step and for calls outside an episode.
   */
  step(blocks: string | readonly string[], full: string, previous?: { promptText: string }): PromptText {
    const sha256 = hashText(full);
    const first = previous === undefined;
    if (first) this.forgetEpisode();
    let parts: PromptText['parts'];
    if (this.has(sha256)) parts = [{ ref: sha256 }];
    else if (previous && this.before?.text === previous.promptText && full.startsWith(previous.promptText)) {
      parts = [{ ref: this.before.sha256 }, ...this.pieces(full.slice(previous.promptText.length))];
    } else parts = this.split(typeof blocks === 'string' ? [blocks] : blocks, full);
    this.note(parts, sha256, first);
    this.before = { text: full, sha256 };
    return { sha256, parts };
  }

  /** Takes in an event of an existing log, as if this writer had written it. */
  fold(event: RunEvent) {
    if (event.type === 'episode') {
      this.forgetEpisode();
      for (const [index, { prompt }] of event.steps.entries()) this.note(prompt.parts, prompt.sha256, index === 0);
    } else {
      for (const prompt of promptsOf(event)) {
        this.forgetEpisode();
        this.note(prompt.parts, prompt.sha256, true);
      }
    }
    this.before = null;
  }

  private has(sha256: string) {
    return this.lasting.has(sha256) || this.inEpisode.has(sha256);
  }

  private forgetEpisode() {
    this.inEpisode.clear();
    this.before = null;
  }

  private note(parts: PromptText['parts'], sha256: string, first: boolean) {
    const known = first ? this.lasting : this.inEpisode;
    for (const part of parts) {
      if (typeof part === 'string' && part.length > REGISTER_FROM) known.add(hashText(part));
    }
    if (first) known.add(sha256);
  }

  private split(blocks: readonly string[], full: string): PromptText['parts'] {
    const parts: PromptText['parts'] = [];
    let at = 0;
    for (const block of blocks) {
      const found = block.length > REGISTER_FROM ? full.indexOf(block, at) : -1;
      if (found < 0) continue;
      if (found > at) parts.push(...this.pieces(full.slice(at, found)));
      const sha256 = hashText(block);
      parts.push(this.has(sha256) ? { ref: sha256 } : block);
      at = found + block.length;
    }
    if (at < full.length) parts.push(...this.pieces(full.slice(at)));
    return parts;
  }

  /** A long text that no block covers is cut where its own lines say so, so that what repeats is found again. */
  private pieces(text: string): PromptText['parts'] {
    if (text === '') return [];
    return cuts(text).map((piece) => {
      const sha256 = piece.length > REGISTER_FROM ? hashText(piece) : '';
      return this.has(sha256) ? { ref: sha256 } : piece;
    });
  }
}

type Entry = { size: number; parts: readonly (string | { ref: string })[] };

/**
 * Rebuilds texts and ids. Follows the rule to the letter, whoever wrote the log: every registered text of the log may be
 * referred to. It keeps texts as parts, so it holds little beyond the events' own strings.
 */
export class PromptReader {
  private readonly known = new Map<string, Entry>();
  private last: { sha256: string; text: string } | null = null;

  constructor(past: Iterable<RunEvent> = []) {
    for (const event of past) this.fold(event);
  }

  /** The text, checked against its hash; then registered. Errors: log/bad-prompt. */
  text(prompt: PromptText): string {
    const text = this.build(this.measure(prompt));
    if (hashText(text) !== prompt.sha256) throw bad(`a prompt does not have its hash ${prompt.sha256.slice(0, 12)}`);
    this.register(prompt);
    this.last = { sha256: prompt.sha256, text };
    return text;
  }

  /** The prompts of an episode's steps in order. Errors: log/bad-prompt, naming line and step. */
  episode(event: EpisodeEvent): { text: string; ids: number[] }[] {
    let before: number[] = [];
    return event.steps.map((step, index) => {
      try {
        const ids = decodeTokens(step.promptTokens, before);
        before = [...ids, ...step.completionTokens];
        return { text: this.text(step.prompt), ids };
      } catch (error) {
        if (error instanceof CodedError) throw bad(`line ${event.n}, step ${index}: ${error.message}`);
        throw error;
      }
    });
  }

  /** Every prompt of an event in order, rebuilt and checked. Errors: log/bad-prompt. */
  texts(event: RunEvent): string[] {
    return promptsOf(event).map((prompt) => this.text(prompt));
  }

  /** Registers an event's texts without rebuilding them. */
  fold(event: RunEvent) {
    for (const prompt of promptsOf(event)) this.register(prompt);
  }

  private measure(prompt: PromptText): Entry {
    let size = 0;
    for (const part of prompt.parts) {
      size += 1 + (typeof part === 'string' ? part.length : this.find(part.ref).size);
      if (size > LARGEST) throw bad(`a prompt is larger than ${LARGEST} characters`);
    }
    return { size, parts: prompt.parts };
  }

  private find(ref: string): Entry {
    const entry = this.known.get(ref);
    if (!entry) throw bad(`refers to ${ref.slice(0, 12)}, which did not occur before`);
    return entry;
  }

  /** Iterative: an episode's prompts refer to one another as deep as it has steps. */
  private build(entry: Entry): string {
    const out: string[] = [];
    const open = [entry.parts.values()];
    while (open.length > 0) {
      const next = open.at(-1)!.next();
      if (next.done) open.pop();
      else if (typeof next.value === 'string') out.push(next.value);
      else if (next.value.ref === this.last?.sha256) out.push(this.last.text);
      else open.push(this.find(next.value.ref).parts.values());
    }
    return out.join('');
  }

  private register(prompt: PromptText) {
    const entry = this.measure(prompt);
    for (const part of prompt.parts) {
      if (typeof part !== 'string' || part.length <= REGISTER_FROM) continue;
      const sha256 = hashText(part);
      if (!this.known.has(sha256)) this.known.set(sha256, { size: part.length, parts: [part] });
    }
    if (!this.known.has(prompt.sha256)) this.known.set(prompt.sha256, entry);
  }
}

/** The prompts of an event, in the order in which they are registered. */
export function promptsOf(event: RunEvent): PromptText[] {
  switch (event.type) {
    case 'episode':
      return event.steps.map((step) => step.prompt);
    case 'consolidation':
      return [...event.corrected.map((one) => one.prompt), ...(event.prompt ? [event.prompt] : [])];
    default:
      return [];
  }
}

/** Pieces of whole lines, of some hundred characters, that end where a line's own content says: stable under inserts. */
function cuts(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    sum = (Math.imul(sum, 31) + char) | 0;
    if (char !== 10) continue;
    if (i - start > 256 && (sum & 7) === 0) {
      pieces.push(text.slice(start, i + 1));
      start = i + 1;
    }
    sum = 0;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

const bad = (message: string) =>
  new CodedError('log/bad-prompt', message, 'the log was changed after it was written, or written by another version');
