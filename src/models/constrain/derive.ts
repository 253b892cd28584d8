// What is left of a grammar after a text: its derivative by each byte (Brzozowski, "Derivatives of Regular Expressions",
// 1964). For models that cannot be given a beginning, only a grammar. Knows no model.
import type { Node } from './regex.ts';

const EMPTY: Node = { kind: 'sequence', items: [] };

/** The rest of every text of the grammar that begins with these bytes; null when none does. */
export function derive(node: Node, bytes: Iterable<number>): Node | null {
  let rest: Node | null = node;
  for (const byte of bytes) {
    if (rest === null) return null;
    rest = after(rest, byte);
  }
  return rest;
}

function after(node: Node, byte: number): Node | null {
  switch (node.kind) {
    case 'bytes':
      return node.set[byte] === 1 ? EMPTY : null;
    case 'sequence': {
      const ways: Node[] = [];
      for (const [i, item] of node.items.entries()) {
        const rest = after(item, byte);
        if (rest) ways.push(inOrder(rest, ...node.items.slice(i + 1)));
        if (!acceptsNothing(item)) break;
      }
      return anyOf(ways);
    }
    case 'choice':
      return anyOf(node.items.flatMap((item) => after(item, byte) ?? []));
    case 'repeat': {
      const { item, least, most } = node;
      const rest = most > 0 ? after(item, byte) : null;
      return rest && inOrder(rest, { kind: 'repeat', item, least: Math.max(0, least - 1), most: most - 1 });
    }
    default:
      return node satisfies never;
  }
}

/** Whether the empty text is one of the grammar's. */
export function acceptsNothing(node: Node): boolean {
  switch (node.kind) {
    case 'bytes':
      return false;
    case 'sequence':
      return node.items.every(acceptsNothing);
    case 'choice':
      return node.items.some(acceptsNothing);
    case 'repeat':
      return node.least === 0 || acceptsNothing(node.item);
    default:
      return node satisfies never;
  }
}

function inOrder(...parts: Node[]): Node {
  const items = parts.flatMap((part) => (part.kind === 'sequence' ? part.items : isNothing(part) ? [] : [part]));
  return items.length === 1 ? items[0]! : { kind: 'sequence', items };
}

const anyOf = (ways: Node[]): Node | null => (ways.length > 1 ? { kind: 'choice', items: ways } : (ways[0] ?? null));

const isNothing = (node: Node) => node.kind === 'repeat' && node.most === 0;
