// Small faults for WGSL: where an operator or a constant can be changed, and the Vite plugin that serves a changed file.

const SWAPS = { ' + ': ' - ', ' - ': ' + ', ' * ': ' + ', ' / ': ' * ', ' < ': ' >= ', ' <= ': ' > ', ' >= ': ' < ' };
const PATTERN = /( (?:\+|-|\*|\/|<|<=|>=) )|\b(\d+u)\b|\b(\d+\.\d+(?:e-?\d+)?)\b/g;

/** All places of a source, comments, types and sizes of arrays left out: { at, line, from, to }. */
export function placesOf(source) {
  const places = [];
  let at = 0;
  source.split('\n').forEach((line, i) => {
    const code = line.split('//')[0];
    if (!/^\s*(@|\/\*\*|\*|var<|fn |var \w+: array<)/.test(line)) {
      for (const match of code.matchAll(PATTERN)) {
        const from = match[0];
        places.push({ at: at + match.index, line: i + 1, from, to: SWAPS[from] ?? changed(from) });
      }
    }
    at += line.length + 1;
  });
  return places;
}

/** Another number, far enough from the first to matter. */
const changed = (number) => (number.endsWith('u') ? `${parseInt(number) + 1}u` : `(${number} * 1.5 + 0.25)`);

/** `which`: NAME:INDEX, a kernel's file and one of its places; undefined: nothing is changed. */
export function mutant(which) {
  const [name, index] = which?.split(':') ?? [];
  return {
    name: 'mutant',
    enforce: 'pre',
    transform(code, id) {
      if (!name || !id.endsWith(`/kernels/${name}.wgsl?raw`)) return null;
      const source = JSON.parse(/^export default (".*")/s.exec(code)[1]);
      const { at, from, to } = placesOf(source)[Number(index)];
      return `export default ${JSON.stringify(source.slice(0, at) + to + source.slice(at + from.length))}`;
    },
  };
}
