// Text <-> token ids for any byte-pair tokenizer.json. Text is text: `encode` never makes a control token out of
// characters that spell one. Knows nothing of models, templates, games.
import { Tokenizer } from '@huggingface/tokenizers';
import { CodedError } from '../../errors.ts';
import { hashText } from '../../hash.ts';
import { fromByteLevel, wellFormed } from './bytes.ts';
import { Controls, isControl } from './controls.ts';
import { componentsOf, parseTokenizerConfig, parseTokenizerFile } from './format.ts';
import type { AddedToken, SpecialNames, TokenizerFile } from './format.ts';
import { exactPreTokenizer } from './pretokenizers.ts';

const utf8 = new TextEncoder();
// `ignoreBOM` keeps a U+FEFF at the start, which is text like any other here.
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Marks "not the first section" for the library (Metaspace, prepend_scheme "first"); no text is likely to hold it. */
const SECTION = '\ufdd0s3 section\ufdd1';

export class TextTokenizer {
  /** Highest token id + 1. A model's vocabulary may be padded beyond it. */
  readonly vocabSize: number;
  /** SHA-256 of tokenizer.json, in hex. Ids depend on that file alone. */
  readonly hash: string;
  /** Ids of control tokens: special ones and markup such as <think>. */
  readonly controlIds: ReadonlySet<number>;
  readonly names: SpecialNames;
  readonly bos: number | null;
  readonly eos: number | null;
  readonly pad: number | null;
  readonly controls: Controls;

  private readonly library: Tokenizer;
  private readonly ids: ReadonlyMap<string, number>;
  private readonly tokens: string[] = [];
  private readonly added: ReadonlyMap<number, AddedToken>;
  private readonly unknown: number | undefined;
  private readonly byteLevel: boolean;
  private readonly firstOnly: boolean;
  private readonly prependsSpace: boolean;
  private readonly affixes: { before: number[]; after: number[] };
  private readonly pieces: (Uint8Array | undefined)[] = [];
  private readonly texts: (string | undefined)[] = [];

  /** Errors: model/bad-file, model/unsupported (no byte-pair model, a decoder that loses bytes). */
  constructor(tokenizerJson: string, tokenizerConfigJson: string | null = null) {
    const file = parseTokenizerFile(tokenizerJson);
    this.names = parseTokenizerConfig(tokenizerConfigJson).names;
    this.hash = hashText(tokenizerJson);

    const ids = new Map(Object.entries(file.model.vocab));
    for (const { content, id } of file.added_tokens) ids.set(content, id);
    for (const [token, id] of ids) this.tokens[id] = token;
    this.ids = ids;
    this.vocabSize = this.tokens.length;
    this.added = new Map(file.added_tokens.map((token) => [token.id, token]));
    const controls = file.added_tokens.filter(isControl);
    this.controls = new Controls(controls);
    this.controlIds = new Set(controls.map(({ id }) => id));
    this.unknown = file.model.unk_token === null ? undefined : ids.get(file.model.unk_token);
    const idOf = (name: string | null): number | null => (name === null ? null : (ids.get(name) ?? null));
    this.bos = idOf(this.names.bos_token);
    this.eos = idOf(this.names.eos_token);
    this.pad = idOf(this.names.pad_token);

    const decoders = componentsOf(file.decoder);
    const metaspaces = [...decoders, ...componentsOf(file.pre_tokenizer)].filter(({ type }) => type === 'Metaspace');
    this.byteLevel = decoders.some(({ type }) => type === 'ByteLevel');
    if (!this.byteLevel && !metaspaces.length && !decoders.some(({ type }) => type === 'ByteFallback')) {
      throw new CodedError('model/unsupported', 'a tokenizer whose decoder is neither byte-level nor byte-fallback');
    }
    this.firstOnly = metaspaces.some(({ prepend_scheme }) => prepend_scheme === 'first');
    this.prependsSpace =
      metaspaces.some(({ prepend_scheme }) => prepend_scheme !== 'never') ||
      componentsOf(file.normalizer).some(({ type }) => type === 'Prepend');
    this.library = libraryFor(file, new Set(controls.map(({ content }) => content)));
    this.affixes = this.findAffixes();
  }

  /**
   * Token ids of untrusted text: characters that spell a control token become ordinary tokens. Lone surrogates count as
   * U+FFFD. `addSpecial` adds what the file's post-processor adds (often bos). Errors: model/tokenizer.
   */
  encode(text: string, options: { addSpecial?: boolean } = {}): number[] {
    const ids = this.encodeSection(wellFormed(text), true);
    return options.addSpecial ? [...this.affixes.before, ...ids, ...this.affixes.after] : ids;
  }

  /**
   * Token ids of a trusted template's text: control tokens in it become their ids. `mark`, if given, is what
   * `controls.breakUp` put into the untrusted parts; it is taken out after the control tokens were found.
   */
  encodeTrusted(text: string, mark = ''): number[] {
    const ids: number[] = [];
    for (const section of this.controls.split(wellFormed(text))) {
      if ('control' in section) ids.push(section.control.id);
      else
        for (const id of this.encodeSection(mark ? section.text.replaceAll(mark, '') : section.text, !ids.length))
          ids.push(id);
    }
    return ids;
  }

  /** The text of ids, broken UTF-8 as U+FFFD. `skipControl` leaves control tokens out. Errors: model/token-id. */
  decode(ids: ArrayLike<number>, options: { skipControl?: boolean } = {}): string {
    const kept = Array.from(ids).filter((id) => !(options.skipControl && this.controlIds.has(id)));
    const pieces = kept.map((id) => this.bytesOf(id));
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const text = utf8Decoder.decode(bytes);
    return this.prependsSpace && text.startsWith(' ') ? text.slice(1) : text;
  }

  /** The exact bytes that a token stands for (a control token: those of its name). Do not change them. Errors: model/token-id. */
  bytesOf(id: number): Uint8Array {
    const token = this.tokens[id];
    if (token === undefined) throw new CodedError('model/token-id', `there is no token ${id}`);
    return (this.pieces[id] ??= this.added.has(id) ? utf8.encode(token) : this.toBytes(token));
  }

  /** One token's text, U+FFFD for bytes that are no whole character. */
  tokenText(id: number): string {
    return (this.texts[id] ??= utf8Decoder.decode(this.bytesOf(id)));
  }

  /** A token's name in the file, e.g. 'ĠUP', or undefined if there is no such id. */
  nameOf(id: number): string | undefined {
    return this.tokens[id];
  }

  /** The id of a token's name in the file, e.g. '<|im_end|>' or 'ĠUP'. */
  idOf(name: string): number | undefined {
    return this.ids.get(name);
  }

  /** Every token as its file spells it, with its id. */
  words(): Iterable<[string, number]> {
    return this.ids.entries();
  }

  private toBytes(token: string): Uint8Array {
    if (this.byteLevel) return fromByteLevel(token);
    const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(token)?.[1];
    return byte === undefined ? utf8.encode(token.replaceAll('\u2581', ' ')) : Uint8Array.of(parseInt(byte, 16));
  }

  private encodeSection(text: string, first: boolean): number[] {
    if (text === '') return [];
    const mark = this.firstOnly && !first && !text.includes(SECTION) ? SECTION : '';
    const tokens = this.library.tokenize(mark + text, { add_special_tokens: false });
    if (mark) tokens.shift();
    return tokens.map((token) => this.idOfPiece(token));
  }

  private idOfPiece(token: string): number {
    const id = this.ids.get(token) ?? this.unknown;
    if (id !== undefined) return id;
    throw new CodedError('model/tokenizer', `the tokenizer has no token for ${JSON.stringify(token)}`);
  }

  private findAffixes(): { before: number[]; after: number[] } {
    const bare = this.library.tokenize('a', { add_special_tokens: false });
    const full = this.library.tokenize('a', { add_special_tokens: true });
    let start = 0;
    while (start + bare.length < full.length && !bare.every((token, i) => full[start + i] === token)) start++;
    const ids = full.map((token) => this.idOfPiece(token));
    return { before: ids.slice(0, start), after: ids.slice(start + bare.length) };
  }
}

/** The library's tokenizer without the control tokens, so that no text can become one. */
function libraryFor(file: TokenizerFile, controls: ReadonlySet<string>): Tokenizer {
  const vocab = Object.fromEntries(Object.entries(file.model.vocab).filter(([token]) => !controls.has(token)));
  const section = { id: 2 ** 22 + 1, content: SECTION, special: false, normalized: false };
  const added_tokens = [...file.added_tokens.filter(({ content }) => !controls.has(content)), section];
  try {
    return new Tokenizer(
      {
        ...file,
        added_tokens,
        pre_tokenizer: exactPreTokenizer(file.pre_tokenizer),
        model: { ...file.model, type: 'BPE', vocab },
      },
      { clean_up_tokenization_spaces: false },
    );
  } catch (error) {
    throw new CodedError('model/bad-file', 'tokenizer.json cannot be used', 'Is it the right file?', String(error));
  }
}
