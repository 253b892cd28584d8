// A colour stands in app.css, once; a report as a file brings the same ones along.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STYLE } from '../report/render/style.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const palette = new Map(
  [...read('./app.css').matchAll(/--([a-z-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name, ...both]) => [
    name,
    both,
  ]),
);

test('a report’s colours are the page’s, in both themes', () => {
  const [light, dark] = STYLE.split('@media').map(
    (part) => new Map([...part.matchAll(/--([a-z]+):(#\w+)/g)].map(([, name, value]) => [name, value])),
  );
  expect(light!.size).toBeGreaterThan(7);
  for (const name of light!.keys())
    expect([name, light!.get(name), dark!.get(name)]).toEqual([name, ...palette.get(name)!]);
});

test('components name colours of the palette only', () => {
  const here = new URL('.', import.meta.url).pathname;
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(svelte|ts)$/.test(file));
  const css = read('./app.css');
  for (const file of files.filter((file) => !file.endsWith('.test.ts'))) {
    const text = readFileSync(join(here, file), 'utf8');
    const style = /<style>[^]*<\/style>/.exec(text)?.[0] ?? '';
    expect(style.match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/gi) ?? [], file).toEqual([]);
    for (const [, name] of text.matchAll(/var\(--([a-z-]+)\)/g))
      expect(css, `${file}: --${name}`).toContain(`--${name}: `);
  }
});
