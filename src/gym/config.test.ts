import { expect, test } from 'vitest';
import { runConfig } from './config.ts';

const codeOf = (work: () => unknown) => {
  try {
    work();
    return 'nothing was thrown';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

test('arms get the oracle links that the settings ask for, frozen none, and none twice', () => {
  const { arms } = runConfig({ pathways: ['frozen', 'training', 'summary@oracle-judge'], judge: 'oracle' });
  expect(arms.map(({ name }) => name)).toEqual(['frozen', 'training@oracle-judge', 'summary@oracle-judge']);
});

test('game options come by their key; splits that a game lacks are left out', () => {
  const config = runConfig({ games: ['trust', 'snake'], opponents: 'retaliating', split: ['strict', 'unseen'] });
  const [trust, snake] = config.games;
  expect(config.optionsOf(trust!)).toEqual({ opponents: 'retaliating', unseen: 'on' });
  expect(config.splitsOf(trust!)).toEqual(['strict', 'unseen']);
  expect(config.splitsOf(snake!)).toEqual(['strict']);
});

test.each([
  [{ games: ['chess-v9'] }, 'game/unknown'],
  [{ pathways: ['nothing'] }, 'plugin/unknown-arm'],
  [{ pathways: ['training@nothing'] }, 'plugin/unknown-variant'],
  [{ nothing: 1 }, 'settings/unknown'],
  // It chooses its temperature on these very instances.
  [{ pathways: ['frozen', 'frozen-sharp'], heldOut: 'development' }, 'settings/bad-value'],
])('%j is refused', (settings, code) => {
  expect(codeOf(() => runConfig(settings))).toBe(code);
});
