// Chat messages -> the text that a model's own template makes of them, and its ids. The template is trusted structure,
// the messages are not. Knows nothing of models or games.
import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { CodedError } from '../../errors.ts';
import { wellFormed } from './bytes.ts';
import { parseTokenizerConfig } from './format.ts';
import type { SpecialNames } from './format.ts';
import type { TextTokenizer } from './tokenizer.ts';

export interface ChatMessage {
  role: string;
  content: string;
  /** Ids of what the model wrote itself: they stand in the prompt as they are, and are never made again from text. */
  ids?: readonly number[];
}

export interface ChatOptions {
  /** End with the opening of the model's turn. Default true. */
  addGenerationPrompt?: boolean;
  /** More variables for the template, e.g. { enable_thinking: false }. */
  variables?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Bounds on a template, which is a program from a stranger: characters, evaluated nodes (and items), characters or items of one value. */
export const LIMITS = { template: 2 ** 18, steps: 200_000, text: 2 ** 22, items: 10_000 } as const;

/** The library's interpreter with the limits above; without it `range(10**9)` or doubling a string would hang the tab. */
class BoundedInterpreter extends Interpreter {
  private steps = 0;

  override evaluate(...args: Parameters<Interpreter['evaluate']>): ReturnType<Interpreter['evaluate']> {
    this.count(1);
    const result = super.evaluate(...args);
    const { value } = result;
    // Lists and texts cost by their length: an empty loop over a list evaluates nothing, yet takes its time.
    if (typeof value === 'string') this.count(value.length / 256);
    if (Array.isArray(value)) this.count(4 * value.length);
    if (typeof value === 'string' && value.length > LIMITS.text) throw new Error('too long a text');
    if (Array.isArray(value) && value.length > LIMITS.items) throw new Error('too long a list');
    return result;
  }

  private count(steps: number): void {
    if ((this.steps += steps) > LIMITS.steps) throw new Error(`more than ${LIMITS.steps} steps`);
  }
}

function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (!(count <= LIMITS.items)) throw new Error('range() is too long');
  return Array.from({ length: count }, (_, i) => from + i * step);
}

/** A model's chat template, parsed once. */
export class ChatTemplate {
  private readonly program: Template['parsed'];
  private readonly names: SpecialNames;

  /** Errors: model/template (too long, or not a template). */
  constructor(template: string, names: SpecialNames) {
    if (template.length > LIMITS.template) throw templateError('the template is too long', template.length);
    try {
      this.program = new Template(template).parsed;
    } catch (error) {
      throw templateError('the chat template cannot be read', error);
    }
    this.names = names;
  }

  /**
   * The messages as text. There is no strftime_now: a template that would print today's date (Llama 3.2) prints its
   * fixed one, so that a run can be repeated. Errors: model/template (the template's own complaints too, and LIMITS).
   * One step may still be slow or large at worst (a single filter on 4 MiB); hostile templates belong in a worker.
   */
  render(messages: readonly ChatMessage[], options: ChatOptions = {}): string {
    const scope = new Environment();
    const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
    const complain = (message: unknown): never => {
      throw new Error(String(message));
    };
    const { bos_token, eos_token, pad_token, unk_token } = this.names;
    const named = Object.entries({ bos_token, eos_token, pad_token, unk_token }).filter(([, name]) => name !== null);
    const variables = {
      ...{ ...constants, range, raise_exception: complain, tools: null, documents: null },
      ...Object.fromEntries(named),
      ...options.variables,
      messages: messages.map(({ role, content }) => ({ role, content })),
      add_generation_prompt: options.addGenerationPrompt ?? true,
    };
    try {
      for (const [name, value] of Object.entries(variables)) scope.set(name, value);
      const { value } = new BoundedInterpreter(scope).run(this.program);
      return typeof value === 'string' ? value : String(value);
    } catch (error) {
      throw templateError('the chat template refuses these messages', error);
    }
  }
}

function templateError(message: string, cause: unknown): CodedError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CodedError('model/template', `${message}: ${reason}`, 'Is the template the one of this model?');
}

/** The template of a model's files, or null if it has none: chat_template.jinja, else that in tokenizer_config.json. */
export function chatTemplateOf(texts: {
  chatTemplate: string | null;
  tokenizerConfig: string | null;
}): ChatTemplate | null {
  const { names, chatTemplate } = parseTokenizerConfig(texts.tokenizerConfig);
  const template = texts.chatTemplate ?? chatTemplate;
  return template === null ? null : new ChatTemplate(template, names);
}

/** `count` characters that no message holds: noncharacters, then some for private use. */
function unusedCharacters(messages: readonly ChatMessage[], count: number): string[] {
  const used = new Set(messages.flatMap(({ role, content }) => [...role, ...content]));
  const found: string[] = [];
  for (const [first, last] of [
    [0xfdd0, 0xfdef],
    [0xe000, 0xf8ff],
  ] as const) {
    for (let code = first; code <= last && found.length < count; code++) {
      const character = String.fromCharCode(code);
      if (!used.has(character)) found.push(character);
    }
  }
  if (found.length < count) throw new CodedError('model/template', 'the messages use every private character');
  return found;
}

/**
 * The messages as ids and as text. Control tokens come from the template alone: a message that spells `<|im_end|>` gets
 * the ordinary tokens of these characters. For messages without such text the ids are those of the rendered text, as
 * transformers gives them. The model's own turns may hold markup that is not special (`<think>`), since templates look
 * for it there; a turn with ids is left to the template as one character, in whose place they then stand.
 * Errors: model/template (also one that shows such a turn not once, or out of order), model/tokenizer.
 */
export function encodeChat(
  tokenizer: TextTokenizer,
  template: ChatTemplate,
  messages: readonly ChatMessage[],
  options: ChatOptions = {},
): { rendered: string; ids: number[] } {
  const [mark, place] = unusedCharacters(messages, 2) as [string, string];
  const guard = (text: string, own: boolean): string =>
    tokenizer.controls.breakUp(wellFormed(text), mark, (token) => token.special || !own);
  const guarded = messages.map(({ role, content, ids }) => ({
    role: guard(role, false),
    content: ids ? place : guard(content, role === 'assistant'),
  }));
  const written = messages.filter((message) => message.ids !== undefined);
  const pieces = template.render(guarded, options).split(place);
  if (pieces.length !== written.length + 1) {
    throw new CodedError('model/template', 'the chat template does not show each of the model’s turns once');
  }
  const ids: number[] = [];
  let rendered = '';
  for (const [i, piece] of pieces.entries()) {
    rendered += piece.replaceAll(mark, '') + (written[i]?.content ?? '');
    for (const id of tokenizer.encodeTrusted(piece, mark)) ids.push(id);
    for (const id of written[i]?.ids ?? []) ids.push(id);
  }
  return { rendered, ids };
}
