// Adapters leave the model's memory when no episode can need them again.
import { expect, test } from 'vitest';
import { rulesOfThumb } from '../../test/e2e/player.ts';
import type { AdapterSaved } from '../log/events.ts';
import { smallRun } from './testing.ts';

test('block by block, an arm explores with what it knew before the block and learns at its end', async () => {
  const settings = {
    ...{ games: ['trust-v1'], pathways: ['frozen', 'history', 'history@blocks'], explore: 4, every: 2, strict: 1 },
    ...{ frozenReplicates: 1, split: ['strict'] },
  };
  const events = await smallRun(settings, []);
  const memories = (pathway: string) =>
    events.flatMap((event) =>
      event.type === 'episode' && event.pathway === pathway && event.phase === 'explore' ? [event.memory] : [],
    );
  expect(new Set(memories('history')).size).toBe(4);
  const [a, b, c, d] = memories('history@blocks');
  expect([a, b]).toEqual([null, null]);
  expect(c).not.toBeNull();
  expect(d).toBe(c);
});

test('an arm that is over leaves no adapter behind', async () => {
  const model = rulesOfThumb();
  const training = model.training!;
  const resident = new Set<string>();
  const load: typeof training.load = async (files) => {
    const info = await training.load(files);
    resident.add(new TextDecoder().decode(files.tensors));
    return info;
  };
  const release = async (hash: string) => void resident.delete(hash);
  const watched = { ...model, training: { ...training, load, release } };
  const settings = {
    ...{ games: ['snake-v1'], pathways: ['frozen', 'training'], explore: 4, every: 2, strict: 1 },
    ...{ frozenReplicates: 1, trainSteps: 1, guardInvalid: 1, keep: 'episodes' },
  };
  const events = await smallRun(settings, [], { model: watched });
  const saved = events.filter((event): event is AdapterSaved => event.type === 'adapter.saved');
  expect(saved.length).toBe(2);
  expect([...resident]).toEqual([]);
});
