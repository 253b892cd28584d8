// Matching an action's text against a game's grammar: the whole text, ignoring case, and nothing repaired.

const compiled = new Map<string, RegExp>();

/** The match (with its named groups) of a whole action, or null. `source` is a `Game.grammar`. */
export function matchAction(source: string, action: string): RegExpMatchArray | null {
  let pattern = compiled.get(source);
  if (!pattern) compiled.set(source, (pattern = new RegExp(`^(?:${source})$`, 'i')));
  return pattern.exec(action);
}
