// `s3 probe`: what a model makes of each slot of the prompt. The right content should beat none, and none the wrong one.
import { findGame, games as allGames } from '../../../games/registry.ts';
import { CodedError } from '../../errors.ts';
import { openModelByName } from '../../models/open.node.ts';
import { formatEstimate } from '../../report/format.ts';
import type { Command } from '../command.ts';
import { HELD_OUT } from '../pretrain/corpus.ts';
import { probesOf, type Difference, type Probe } from '../pretrain/probe.ts';

export const command: Command = {
  name: 'probe',
  summary: 'Probes the prompt’s slots on development instances: right content against none against wrong.',
  usage: '[--model nano|DIR|FILE.gguf] [--games NAME,NAME] [--episodes N] [--threads N] [--json]',
  flags: {
    model: { type: 'string' },
    games: { type: 'string' },
    episodes: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const count = args.integer('episodes', 100, [2, 10_000]);
    const names = args.text('games')?.split(',');
    // What a model never saw in a game's slots is no fault of the slots.
    const chosen = names ?? [...allGames.keys()].filter((id) => HELD_OUT[id] === undefined);
    const threads = args.integer('threads', 0, [0, 64]);
    const model = await openModelByName(args.text('model') ?? 'nano', io.root, threads ? { threads } : {});
    const probes: Probe[] = [];
    for (const name of chosen) {
      const game = findGame(name);
      if (!game?.strategies)
        throw new CodedError('usage/bad-value', `no game ${name} with strategies`, '--games trust');
      for await (const probe of probesOf(game, model, count)) {
        probes.push(probe);
        io.err(lineOf(probe));
        if (io.signal.aborted) break;
      }
      if (io.signal.aborted) break;
    }
    await model.close();
    io.out(args.flag('json') ? JSON.stringify({ model: model.card.hash, episodes: count, probes }) : tableOf(probes));
    // A table in part is no answer to what was asked.
    return io.signal.aborted ? 1 : 0;
  },
};

const text = ({ mean, lo, hi }: Difference) => formatEstimate({ mean, lo, hi }, { signed: true });

const lineOf = (probe: Probe) =>
  `${probe.game} ${probe.slot}: right - none ${text(probe.rightMinusNone)}, none - wrong ${text(probe.noneMinusWrong)}`;

const tableOf = (probes: readonly Probe[]) =>
  [
    '| game | slot | right | none | wrong | right - none | none - wrong |',
    '|---|---|---|---|---|---|---|',
    ...probes.map((one) =>
      [
        '',
        one.game,
        one.slot,
        ...[one.right, one.none, one.wrong].map((value) => value.toFixed(2)),
        text(one.rightMinusNone),
        text(one.noneMinusWrong),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ].join('\n');
