// What a model thought, apart from what it says. Knows nothing of what either means.

export interface Said {
  text: string;
  /** Where `text` begins in what was written. */
  from: number;
  thought: string | null;
  /** The model is still thinking. */
  open: boolean;
}

const [OPEN, CLOSE] = ['<think>', '</think>'];

/** A block at the start is no text, whether something was thought or not. One that never ends is all there is. */
export function apart(written: string): Said {
  const body = written.trimStart();
  const end = written.indexOf(CLOSE);
  const opens = body.startsWith(OPEN);
  // It may just be on its way.
  if (end < 0 && !opens) {
    const open = body !== '' && OPEN.startsWith(body);
    return { text: open ? '' : written, from: open ? written.length : 0, thought: null, open };
  }
  const inside = (end < 0 ? written : written.slice(0, end)).trimStart();
  const thought = inside.slice(opens ? OPEN.length : 0).trim();
  const rest = end < 0 ? '' : written.slice(end + CLOSE.length).trimStart();
  return { text: rest, from: written.length - rest.length, thought: thought || null, open: end < 0 };
}
