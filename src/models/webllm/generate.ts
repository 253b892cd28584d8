// One request to WebLLM, from parts to a completion: streamed, so that it is ours to say where an answer ends. WebLLM
// looks for stop strings in what was thought, too, and counts the tokens of a block that it wrote itself.
// Knows no game.
import { CodedError } from '../../errors.ts';
import type { Completion, CompletionRequest } from '../types.ts';
import type { Chunk, Engine, Request } from './api.ts';
import { toEbnf } from './ebnf.ts';
import { isOverflow } from './faults.ts';
import { messagesOf, promptText } from './messages.ts';
import type { Tap } from './tap.ts';
import { apart } from './thought.ts';

export interface Talk {
  engine: Engine;
  tap: Tap;
  /** The model may think first, and is told not to. */
  answersAtOnce: boolean;
  /** Waits for the next chunk as long as is bearable. */
  awaitNext<T>(next: Promise<T>, ms?: number): Promise<T>;
}

/** Tokens beyond those asked for: a block of WebLLM's own counts, and the last one is ours to stop at. */
const SLACK = 32;

/** A prompt that does not fit is a value, too. Errors: whatever WebLLM throws, usage/… */
export async function generate(
  { engine, tap, answersAtOnce, awaitNext }: Talk,
  request: CompletionRequest,
  signal?: AbortSignal,
): Promise<Completion> {
  const { parts, sampling, forced = '' } = request;
  const { stop = [], greedyAfter } = sampling;
  const begin = forced.trimStart();
  // What is forced is sampled like the rest, and takes no more tokens than it has letters.
  const most = sampling.maxTokens + begin.length;
  const done = (written: Written, finish: Completion['finish']): Completion => {
    const { pieces, ...said } = written.said();
    return {
      ...said,
      pieces,
      ids: [...tap.ids],
      forcedIds: 0,
      promptIds: [],
      promptText: promptText(parts),
      // Under a grammar it would be the mask's share, too.
      logprob: request.grammar || forced ? null : tap.logprob,
      maskedMass: 0,
      finish,
      cachedTokens: 0,
    };
  };
  const written = new Written(tap);
  tap.begin(false);
  if (signal?.aborted) return done(written, 'aborted');

  let finish: Completion['finish'] | null = null;
  const end = (why: Completion['finish']) => {
    finish ??= why;
    void engine.interruptGenerate();
  };
  const abort = () => end('aborted');
  signal?.addEventListener('abort', abort);
  try {
    const stream = await awaitNext(engine.chat.completions.create(asked(request, most, answersAtOnce)));
    const chunks = stream[Symbol.asyncIterator]();
    let reason: string | null = null;
    for (;;) {
      const next = await awaitNext(chunks.next());
      if (next.done) break;
      reason = next.value.choices[0]?.finish_reason ?? reason;
      written.add(next.value);
      if (finish) {
        // A call that came before the first token was forgotten by WebLLM.
        void engine.interruptGenerate();
        continue;
      }
      const { text, open } = written.far();
      if (!open && stop.some((one) => text.includes(one, begin.length))) end('stop');
      else if (tap.ids.length >= most && reason === null) end('length');
      tap.greedy = !open && greedyAfter !== undefined && text.includes(greedyAfter);
    }
    // The last token that was allowed may have been the model's own end.
    if (finish === null || (finish === 'length' && reason === 'stop')) finish = finishOf(reason, tap.ids.length < most);
    return done(written, finish);
  } catch (error) {
    if (isOverflow(error)) return done(written, 'context');
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function asked(
  { parts, sampling, grammar, forced = '' }: CompletionRequest,
  most: number,
  answersAtOnce: boolean,
): Request {
  const { temperature, topP = 1, topK, seed } = sampling;
  if (topK !== undefined) throw new CodedError('usage/sampling', 'WebLLM offers no top-k', 'leave it out');
  return {
    messages: messagesOf(parts),
    stream: true,
    temperature,
    top_p: topP,
    seed,
    max_tokens: most + SLACK,
    // A model's own defaults would bend the distribution.
    ...{ repetition_penalty: 1, frequency_penalty: 0, presence_penalty: 0 },
    ...(answersAtOnce ? { extra_body: { enable_thinking: false } } : {}),
    // The last message is the user's by WebLLM's rule: a beginning is forced by a grammar that knows no other.
    ...(grammar || forced
      ? { response_format: { type: 'grammar', grammar: toEbnf(grammar ?? null, forced.trimStart()) } }
      : {}),
  };
}

/** `abort` without our asking: the model was unloaded under it. Cut short of what was asked for: the context is full. */
function finishOf(reason: string | null, early: boolean): Completion['finish'] {
  if (reason === 'stop') return 'stop';
  if (reason === 'length') return early ? 'context' : 'length';
  throw new CodedError(
    'model/not-open',
    'WebLLM: the answer was broken off',
    'the model was let go of while it was asked',
  );
}

/** What came so far, by token. */
class Written {
  private text = '';
  private readonly pieces: string[] = [];

  constructor(private readonly tap: Tap) {}

  /** A chunk is the text of the newest token, and of those before that made no whole character. */
  add({ choices }: Chunk): void {
    const delta = choices[0]?.delta.content ?? '';
    while (this.pieces.length < this.tap.ids.length) this.pieces.push('');
    if (delta === '') return;
    this.text += delta;
    if (this.pieces.length === 0) this.pieces.push('');
    this.pieces[this.pieces.length - 1] += delta;
  }

  far() {
    return apart(this.text);
  }

  said(): Pick<Completion, 'text' | 'pieces' | 'thought'> {
    const { text, from, thought } = apart(this.text);
    let at = 0;
    const pieces = this.pieces.map((piece) => {
      const rest = piece.slice(Math.max(0, from - at));
      at += piece.length;
      return rest;
    });
    while (pieces.length < this.tap.ids.length) pieces.push('');
    return { text, pieces, ...(thought === null ? {} : { thought }) };
  }
}
