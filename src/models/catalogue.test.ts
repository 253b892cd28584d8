import { expect, it } from 'vitest';
import { CATALOGUE, obstacle } from './catalogue.ts';

it('names folders by addresses that files can be told from', () => {
  for (const { address, bytes, parameters } of CATALOGUE) {
    expect(new URL('config.json', address).href).toBe(`${address}config.json`);
    // 16 bits a parameter, and little beside them.
    expect(bytes / parameters).toBeGreaterThan(2);
    expect(bytes / parameters).toBeLessThan(2.6);
  }
  expect(new Set(CATALOGUE.map(({ address }) => address)).size).toBe(CATALOGUE.length);
});

it('says what keeps a model from running here', () => {
  const entry = { ...CATALOGUE[0]!, bytes: 2e9 };
  expect(obstacle(entry, null)).toBeNull();
  expect(obstacle(entry, 8)).toBeNull();
  expect(obstacle(entry, 2)).toMatch(/memory.*2 GB/);
  expect(obstacle({ ...entry, bytes: 5e9 }, null)).toMatch(/too large/);
});
