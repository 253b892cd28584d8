import { expect, test } from 'vitest';
import { games } from './registry.ts';

// The page offers a game by these words before any game is loaded.
const files = import.meta.glob<Record<string, string>>('./*/about.json', { eager: true, import: 'default' });

test('every game has its words for the page, under its own id', () => {
  const abouts = Object.values(files);
  expect(abouts.map(({ id }) => id).sort()).toEqual([...games.keys()].sort());
  for (const about of abouts) {
    expect(Object.keys(about).sort()).toEqual(['ask', 'id', 'instance', 'instances', 'summary', 'title', 'unit']);
    expect(games.get(about.id!)).toMatchObject({ title: about.title, unit: about.unit, summary: about.summary });
  }
});
