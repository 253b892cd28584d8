// What changed between two memories, line by line: the longest common subsequence stays.
interface DiffLine {
  kind: 'same' | 'new' | 'gone';
  text: string;
}

/** Longer memories are shown without a comparison. */
const MOST = 400;

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  if (a.length > MOST || b.length > MOST) return b.map((text) => ({ kind: 'same', text }));
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push({ kind: 'gone', text: a[i++]! });
    } else lines.push({ kind: 'new', text: b[j++]! });
  }
  return lines;
}
