// One sequence in the making: its tokens, its pages, when it ends. Knows nothing of batches and kernels.
import type { LoraUse } from '../plan/layer.ts';
import { PAGE } from '../plan/shape.ts';
import type { Generation, GenerateRequest, ModelConfig } from '../types.ts';
import type { PagePool } from './kv.ts';

/** One step's part of a sequence. */
export interface Share {
  sequence: Sequence;
  tokens: number;
}

export class Sequence {
  readonly ids: number[];
  readonly prompt: number;
  readonly out: Generation = { ids: [], logprobs: [], maskedMass: [], finish: 'length', cachedTokens: 0 };
  readonly pages: number[] = [];
  /** Tokens whose keys and values are in the pages. */
  computed = 0;
  /** Waits until `leader` has computed this many tokens, whose pages it then shares. */
  leader: { of: Sequence; tokens: number } | null = null;
  done = false;
  private text = '';
  private greedy = false;

  constructor(
    readonly index: number,
    readonly request: GenerateRequest,
    readonly key: string,
    readonly lora: LoraUse | null,
    private readonly config: ModelConfig,
  ) {
    this.ids = Array.from(request.ids);
    this.prompt = this.ids.length;
    if (request.sampling.maxTokens <= 0) this.finish('length');
    else if (this.prompt >= config.context) this.finish('context');
  }

  get pending(): number {
    return this.ids.length - this.computed;
  }

  /** Tokens that it may still be given. */
  get left(): number {
    return Math.min(this.request.sampling.maxTokens - this.out.ids.length, this.config.context - this.ids.length);
  }

  /** Pages that it may need at most. */
  get mostPages(): number {
    return Math.ceil(Math.min(this.config.context, this.prompt + this.request.sampling.maxTokens) / PAGE) + 1;
  }

  /** Starts from pages that already hold the first `tokens` tokens. */
  restart(pages: number[], tokens: number, pool: PagePool): void {
    for (const page of this.pages.splice(0)) pool.drop(page);
    this.pages.push(...pages);
    this.computed = this.out.cachedTokens = tokens;
  }

  /** Pages for the next `count` tokens. */
  extend(count: number, pool: PagePool): void {
    while (this.pages.length * PAGE < this.computed + count) this.pages.push(pool.take());
  }

  /** Forgets what was computed beyond its tokens; the last one is always computed by the next step. */
  rewind(): void {
    this.computed = Math.min(this.computed, this.ids.length - 1);
  }

  get temperature(): number {
    return this.greedy ? 0 : this.request.sampling.temperature;
  }

  finish(why: Generation['finish']): void {
    this.done = true;
    this.out.finish = why;
  }

  append(id: number, logprob: number, masked: number): void {
    const { sampling, tokenText } = this.request;
    this.ids.push(id);
    this.out.ids.push(id);
    this.out.logprobs.push(logprob);
    this.out.maskedMass.push(masked);
    const piece = tokenText?.(id) ?? '';
    this.text += piece;
    /** Whether the newest piece completes this string. */
    const completes = (what: string) =>
      what !== '' && piece !== '' && this.text.slice(-(what.length + piece.length - 1)).includes(what);
    if (sampling.greedyAfter !== undefined && completes(sampling.greedyAfter)) this.greedy = true;
    if (this.config.eos.includes(id) || sampling.stop?.some(completes)) this.finish('stop');
    else if (this.out.ids.length >= sampling.maxTokens) this.finish('length');
    else if (this.ids.length >= this.config.context) this.finish('context');
  }
}
