import { expect, it } from 'vitest';
import { findGame } from '../../../games/registry.ts';
import { scriptedModel } from '../../models/scripted/index.ts';
import { probesOf, type Probe } from './probe.ts';

/** Collaborates when its hints or its note say so, scores what it knows to pay, and never corrects itself. */
const reader = scriptedModel({
  answer: (prompt) => {
    const [head = ''] = prompt.split('Game history of current episode:');
    if (prompt.includes('Correct:')) return ' Answer: cheat, Score: 0';
    if (prompt.endsWith('Score:')) return / cheat, Score:$/.test(prompt) ? ' 3' : ' 2';
    const told = /always collaborate|next: collaborate/.test(head);
    return ` Answer: ${told ? 'collaborate' : 'cheat'}, Score: 0`;
  },
});

it('measures every slot of a game beside none and beside the wrong content', async () => {
  const probes: Probe[] = [];
  for await (const probe of probesOf(findGame('trust')!, reader, 12)) probes.push(probe);
  expect(probes.map(({ slot }) => slot)).toEqual(['Tips', 'History', 'Note', 'Goal', 'Judge', 'Correct']);
  const by = Object.fromEntries(probes.map((probe) => [probe.slot, probe]));
  // It reads no goal: the same play three times.
  expect(by.Goal).toMatchObject({ rightMinusNone: { mean: 0, lo: 0, hi: 0 }, noneMinusWrong: { mean: 0 } });
  expect(by.Judge!.right).toBeGreaterThan(by.Judge!.wrong);
  for (const probe of probes) expect(probe.right - probe.none).toBeCloseTo(probe.rightMinusNone.mean, 9);
});
