// Our grammars in the notation that WebLLM's grammar engine reads (XGrammar's EBNF). Ours are about bytes, its about
// characters: the same for all that is ASCII; beyond it, what a count or a single class of ours takes for one byte, it
// takes for one character. Knows no game.
import { CodedError } from '../../errors.ts';
import { derive } from '../constrain/derive.ts';
import { parseRegex, type ByteSet, type Node } from '../constrain/regex.ts';

const ANYTHING: Node = {
  kind: 'repeat',
  item: { kind: 'bytes', set: new Uint8Array(256).fill(1) },
  least: 0,
  most: Infinity,
};

/**
 * EBNF of a completion under `grammar` (null: anything) that begins with `forced`; upper and lower case are the same, as
 * in our own masks. Errors: usage/grammar.
 */
export function toEbnf(grammar: string | null, forced = ''): string {
  const whole = grammar === null ? ANYTHING : parseRegex(grammar, { ignoreCase: true });
  // A beginning that the grammar does not know: nothing may follow it.
  const rest = forced === '' ? whole : derive(whole, new TextEncoder().encode(forced));
  const parts = [forced === '' ? '' : quoted(forced), rest ? expression(rest) : ''].filter((part) => part !== '');
  return `root ::= ${parts.join(' ') || '""'}\n`;
}

function expression(node: Node): string {
  switch (node.kind) {
    case 'bytes':
      return characterClass(node.set);
    case 'sequence':
      return node.items.length === 0 ? '""' : joined(node.items);
    case 'choice':
      return `(${node.items.map(expression).join(' | ')})`;
    case 'repeat': {
      const item = expression(node.item);
      const one = node.item.kind === 'bytes' || node.item.kind === 'choice' ? item : `(${item})`;
      return one + count(node.least, node.most);
    }
    default:
      return node satisfies never;
  }
}

function count(least: number, most: number): string {
  if (most === Infinity) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  return least === 0 && most === 1 ? '?' : `{${least},${most}}`;
}

/** Bytes that make up a character beyond ASCII stand one after another in a sequence. */
function joined(items: readonly Node[]): string {
  const parts: string[] = [];
  let pending: number[] = [];
  const flush = () => {
    if (pending.length > 0)
      parts.push(quoted(new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(pending))));
    pending = [];
  };
  for (const item of items) {
    const byte = item.kind === 'bytes' ? onlyByte(item.set) : null;
    if (byte !== null) pending.push(byte);
    else {
      flush();
      parts.push(item.kind === 'sequence' ? `(${expression(item)})` : expression(item));
    }
  }
  flush();
  return parts.join(' ');
}

/** The only byte of a set; null where there are more. */
function onlyByte(set: ByteSet): number | null {
  const first = set.indexOf(1);
  return first >= 0 && first === set.lastIndexOf(1) ? first : null;
}

function characterClass(set: ByteSet): string {
  const beyond = set.subarray(128);
  const open = beyond.every((on) => on === 1);
  if (!open && beyond.some((on) => on === 1)) {
    throw new CodedError('usage/grammar', 'a class of some bytes beyond ASCII', 'name whole characters');
  }
  const members = Array.from(set.subarray(0, 128).entries(), ([code, on]) => (on === (open ? 0 : 1) ? code : -1));
  return `[${open ? '^' : ''}${ranges(members.filter((code) => code >= 0))}]`;
}

/** `[^]` would be no class: a set of everything leaves out the one character that no model writes. */
function ranges(codes: readonly number[]): string {
  if (codes.length === 0) return escaped(0);
  const parts: string[] = [];
  for (let i = 0; i < codes.length; i++) {
    const from = codes[i]!;
    while (codes[i + 1] === codes[i]! + 1) i++;
    const to = codes[i]!;
    parts.push(escaped(from), ...(to > from + 1 ? ['-'] : []), ...(to > from ? [escaped(to)] : []));
  }
  return parts.join('');
}

const quoted = (text: string) => `"${Array.from(text, (char) => escaped(char.codePointAt(0)!)).join('')}"`;

/** Letters, digits and blanks as they are; all else by number, so that nothing has a meaning in either notation. */
function escaped(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[A-Za-z0-9 ]/.test(char)) return char;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
