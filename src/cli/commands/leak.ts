// `s3 leak`: each game's run of every hidden-reward arm, again under a verifier that tells other rewards; every
// agent-visible text must stay the same.
import { games } from '../../../games/registry.ts';
import { requireGame, runConfig } from '../../gym/config.ts';
import { cycle } from '../../gym/cycle.ts';
import { localGameHost, type GameHost } from '../../gym/host.ts';
import { findLeak, scrambledHost } from '../../gym/leak.ts';
import { hiddenRewardArms } from '../../gym/registry.ts';
import type { RunEvent } from '../../log/events.ts';
import type { LanguageModel } from '../../models/types.ts';
import { openModelByName } from '../../models/open.node.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  name: 'leak',
  summary: 'The run again under a scrambled verifier: every agent-visible text must be byte-identical.',
  usage: '[--game NAME,NAME] [--model nano|DIR|FILE.gguf] [--explore N] [--seed N] [--threads N] [--json]',
  flags: {
    game: { type: 'string' },
    model: { type: 'string' },
    explore: { type: 'string' },
    seed: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [0, 0],
  async run(args, io) {
    const names = args.text('game')?.split(',') ?? [...games.keys()];
    const chosen = names.map(requireGame);
    const model = await openModelByName(args.text('model') ?? 'nano', io.root, args.threads());
    const explore = args.integer('explore', 2, [1, 1000]);
    const seed = args.integer('seed', 1);
    const arms = hiddenRewardArms().filter(({ spec }) => !spec.trains || model.training);
    const pathways = arms.map(({ name }) => name);
    io.err(`arms: ${pathways.join(', ')}`);
    const rows = [];
    for (const { id } of chosen) {
      const config = runConfig({
        games: [id],
        pathways,
        seeds: [seed],
        explore,
        every: Math.max(1, Math.min(3, explore - 1)),
        // One instance, and short updates, show whether anything leaks as well as many do.
        split: ['strict'],
        strict: 1,
        frozenReplicates: 1,
        trainSteps: 2,
      });
      const plain = await collect(config, model, localGameHost());
      const scrambled = await collect(config, model, scrambledHost(localGameHost()));
      const leak = findLeak(plain, scrambled);
      rows.push({ game: id, unchanged: leak === null, events: plain.length, leak });
      if (!args.flag('json'))
        io.out(leak ? `${id}: LEAKS at line ${leak.n}, ${leak.field}` : `${id}: unchanged, ${plain.length} events`);
    }
    await model.close();
    const unchanged = rows.filter((row) => row.unchanged).length;
    if (args.flag('json')) io.out(JSON.stringify({ unchanged, of: rows.length, arms: pathways, games: rows }));
    else io.out(`${unchanged}/${rows.length} unchanged`);
    return unchanged === rows.length ? 0 : 1;
  },
};

async function collect(
  config: ReturnType<typeof runConfig>,
  model: LanguageModel,
  host: GameHost,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const report = () => ({ report: null, ledger: null });
  for await (const item of cycle({ config, model, host, past: [], readBlob: async () => null, report })) {
    if ('event' in item) events.push(item.event);
  }
  return events;
}
