// Control tokens (<|im_end|>, <think>, …) in text: finding them where a template put them, and keeping text that only
// spells them from becoming them. Knows nothing of encoding.
import type { AddedToken } from './format.ts';

/** Tokens that mean something to the model by their id: special ones, and markup such as <think> or [INST]. */
export function isControl(token: AddedToken): boolean {
  return token.special || /^[<[].*[>\]]$/su.test(token.content);
}

export type Section = { control: AddedToken } | { text: string };

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Splits trusted text at control tokens, and breaks up those that untrusted text spells. */
export class Controls {
  private readonly byContent: ReadonlyMap<string, AddedToken>;
  private readonly pattern: RegExp | null;

  constructor(tokens: readonly AddedToken[]) {
    this.byContent = new Map(tokens.map((token) => [token.content, token]));
    const longestFirst = [...this.byContent.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    this.pattern = longestFirst.length ? new RegExp(longestFirst.map(escape).join('|'), 'gu') : null;
  }

  /** The text as control tokens and what lies between them, leftmost longest match, without empty texts. */
  split(text: string): Section[] {
    const sections: Section[] = [];
    let at = 0;
    let stripNext = false;
    const push = (part: string, stripEnd: boolean): void => {
      let rest = stripNext ? part.trimStart() : part;
      if (stripEnd) rest = rest.trimEnd();
      if (rest) sections.push({ text: rest });
    };
    for (const match of this.pattern ? text.matchAll(this.pattern) : []) {
      const control = this.byContent.get(match[0]);
      if (!control) continue;
      push(text.slice(at, match.index), control.lstrip);
      sections.push({ control });
      stripNext = control.rstrip;
      at = match.index + match[0].length;
    }
    push(text.slice(at), false);
    return sections;
  }

  /**
   * The text with `mark` put inside everything that is, or at either end may become, a control token when other text
   * stands beside it. Taking every mark out gives the text back. `only` narrows which tokens count.
   */
  breakUp(text: string, mark: string, only: (token: AddedToken) => boolean = () => true): string {
    const cuts = new Set<number>();
    for (const [content, token] of this.byContent) {
      if (!only(token)) continue;
      const characters = [...content]; // never cut a surrogate pair
      const first = characters[0]!.length;
      const last = characters.at(-1)!.length;
      for (let at = text.indexOf(content); at >= 0; at = text.indexOf(content, at + 1)) cuts.add(at + first);
      for (let length = first; length < content.length; length++) {
        if (text.endsWith(content.slice(0, length))) cuts.add(text.length - length + first);
      }
      for (let length = last; length < content.length; length++) {
        if (text.startsWith(content.slice(-length))) cuts.add(length - last);
      }
    }
    const places = [...cuts].sort((a, b) => a - b);
    const parts = places.map((place, i) => text.slice(i === 0 ? 0 : places[i - 1], place));
    return [...parts, text.slice(places.at(-1) ?? 0)].join(mark);
  }
}
