// Parses the regular part of regular expressions (what games write their grammars in) into a tree over bytes of UTF-8.
// Refuses what is not regular or not used here: anchors, look-around, back-references, lazy quantifiers make no language.
import { CodedError } from '../../errors.ts';

/** A set of bytes: 256 flags. */
export type ByteSet = Uint8Array;

export type Node =
  | { kind: 'bytes'; set: ByteSet }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; items: Node[] }
  /** `most` may be Infinity. */
  | { kind: 'repeat'; item: Node; least: number; most: number };

const EMPTY: Node = { kind: 'sequence', items: [] };
/** Longest count in braces: each copy becomes states. */
const MOST = 1000;
/** Deepest brackets: a grammar may be anybody's. */
const DEEPEST = 100;

/** Errors: usage/grammar, naming the place. */
export function parseRegex(source: string, options: { ignoreCase?: boolean } = {}): Node {
  const chars = [...source];
  const ignoreCase = options.ignoreCase === true;
  let at = 0;
  let depth = 0;
  const fail = (what: string): never => {
    throw new CodedError(
      'usage/grammar',
      `${what} at ${at} of ${JSON.stringify(source)}`,
      'a plain regular expression',
    );
  };
  const eat = (text: string): boolean => {
    const found = chars.slice(at, at + text.length).join('') === text; // ASCII only
    if (found) at += text.length;
    return found;
  };

  function choice(): Node {
    const items = [sequence()];
    while (eat('|')) items.push(sequence());
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  function sequence(): Node {
    const items: Node[] = [];
    while (at < chars.length && chars[at] !== '|' && chars[at] !== ')') items.push(repeated(atom()));
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  function repeated(item: Node): Node {
    for (;;) {
      if (eat('*')) item = { kind: 'repeat', item, least: 0, most: Infinity };
      else if (eat('+')) item = { kind: 'repeat', item, least: 1, most: Infinity };
      else if (eat('?')) item = { kind: 'repeat', item, least: 0, most: 1 };
      else if (chars[at] === '{') item = counted(item);
      else return item;
    }
  }

  function counted(item: Node): Node {
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(chars.slice(at).join(''));
    if (!match) return fail('braces without a count');
    at += match[0].length;
    const least = Number(match[1]);
    const most = match[2] === undefined ? least : match[3] === '' ? Infinity : Number(match[3]);
    if (least > MOST || (most !== Infinity && (most > MOST || most < least))) fail('a count out of range');
    return { kind: 'repeat', item, least, most };
  }

  function atom(): Node {
    if (eat('(?:') || group()) {
      if (++depth > DEEPEST) fail('brackets too deep');
      const inner = choice();
      depth--;
      if (!eat(')')) fail('no closing bracket');
      return inner;
    }
    if (eat('[')) return set();
    if (eat('.')) return { kind: 'bytes', set: without(10, 13) };
    if (eat('\\')) return escaped();
    const char = chars[at++]!;
    if ('^$*+?{}'.includes(char)) fail(`${char} is not supported`);
    return literal(char);
  }

  function group(): boolean {
    const named = /^\(\?<[A-Za-z_]\w*>/.exec(chars.slice(at).join(''));
    if (named) at += named[0].length;
    else if (chars[at] === '(' && chars[at + 1] !== '?') at++;
    else if (chars[at] === '(') fail('this kind of group');
    else return false;
    return true;
  }

  function escaped(): Node {
    const char = chars[at++] ?? fail('a lone backslash');
    const known = CLASSES[char];
    if (known) return { kind: 'bytes', set: known() };
    if (/[A-Za-z0-9]/.test(char)) {
      const control = CONTROLS[char];
      return control === undefined ? fail(`\\${char} is not supported`) : literal(control);
    }
    return literal(char);
  }

  function set(): Node {
    const negated = eat('^');
    const bytes = new Uint8Array(256);
    const member = (): number => {
      let char = chars[at++] ?? fail('an open class');
      if (char === '\\') {
        char = chars[at++] ?? fail('a lone backslash');
        const known = CLASSES[char];
        if (known) {
          known().forEach((on, byte) => (bytes[byte] ||= on));
          return -1;
        }
        char = CONTROLS[char] ?? char;
      }
      const code = char.codePointAt(0)!;
      if (code > 127) fail('a class with characters beyond ASCII');
      return code;
    };
    while (chars[at] !== ']') {
      const from = member();
      if (from < 0) continue;
      let to = from;
      if (chars[at] === '-' && chars[at + 1] !== ']') {
        at++;
        to = member();
        if (to < from) fail('a range backwards');
      }
      for (let code = from; code <= to; code++) bytes[code] = 1;
    }
    at++;
    if (ignoreCase) foldCase(bytes);
    // Not one of these: any other character, whose bytes beyond ASCII are taken one by one.
    return { kind: 'bytes', set: negated ? bytes.map((on) => 1 - on) : bytes };
  }

  function literal(char: string): Node {
    const items = [...new TextEncoder().encode(char)].map((byte): Node => {
      const bytes = only(byte);
      if (ignoreCase && byte < 128) foldCase(bytes);
      return { kind: 'bytes', set: bytes };
    });
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  const tree = source === '' ? EMPTY : choice();
  if (at < chars.length) fail('a closing bracket too many');
  return tree;
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const CLASSES: Readonly<Record<string, () => ByteSet>> = {
  d: () => between(['0', '9']),
  w: () => between(['0', '9'], ['A', 'Z'], ['a', 'z'], ['_', '_']),
  s: () => between([' ', ' '], ['\t', '\r']),
};

const only = (byte: number): ByteSet => {
  const set = new Uint8Array(256);
  set[byte] = 1;
  return set;
};

const without = (...bytes: number[]): ByteSet => {
  const set = new Uint8Array(256).fill(1);
  for (const byte of bytes) set[byte] = 0;
  return set;
};

function between(...ranges: [string, string][]): ByteSet {
  const set = new Uint8Array(256);
  for (const [from, to] of ranges) set.fill(1, from.charCodeAt(0), to.charCodeAt(0) + 1);
  return set;
}

function foldCase(set: ByteSet): void {
  for (let upper = 65; upper <= 90; upper++) {
    const on = set[upper]! | set[upper + 32]!;
    set[upper] = set[upper + 32] = on;
  }
}
