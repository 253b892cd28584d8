// `npm run pretrain`: makes nano, resumably; shows the loss and how the model plays development instances on the way.
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Game } from '../../../games/contract.ts';
import { findGame } from '../../../games/registry.ts';
import { CodedError } from '../../errors.ts';
import type { PlayedEpisode } from '../../gym/play.ts';
import { directoryFiles } from '../../engine/model/files.node.ts';
import { engineModel } from '../../models/engine/index.ts';
import { makeManifest, MANIFEST } from '../../models/manifest.ts';
import type { LanguageModel } from '../../models/types.ts';
import type { Args, Command } from '../command.ts';
import { meanScore, normalised, playDevelopment, validShare } from '../pretrain/develop.ts';
import { openPretraining, type Plan, type Pretraining } from '../pretrain/train.ts';

export const command: Command = {
  name: 'pretrain',
  summary:
    'Pretrains nano on our engine; goes on where it stopped. --ship copies the result to public/models/nano with a manifest of hashes, --manifest makes only that anew.',
  usage:
    '[--out DIR] [--from DIR] [--games NAME:WEIGHT/WEIGHT,…] [--skills SHARE] [--drills SHARE] [--tokens N] [--batch N] [--lr X] [--hidden N] [--layers N] [--heads N] [--ffn N] [--seed N] [--threads N] [--every N] [--ship] | --manifest',
  flags: {
    out: { type: 'string' },
    from: { type: 'string' },
    games: { type: 'string' },
    tokens: { type: 'string' },
    batch: { type: 'string' },
    lr: { type: 'string' },
    hidden: { type: 'string' },
    layers: { type: 'string' },
    heads: { type: 'string' },
    ffn: { type: 'string' },
    seed: { type: 'string' },
    skills: { type: 'string' },
    drills: { type: 'string' },
    threads: { type: 'string' },
    every: { type: 'string' },
    ship: { type: 'boolean' },
    manifest: { type: 'boolean' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const shipped = join(io.root, 'public/models/nano');
    if (args.flag('manifest')) {
      await writeManifest(shipped);
      return 0;
    }
    const folder = join(io.root, args.text('out') ?? 'runs/pretrain');
    const plan = planOf(args);
    const from = args.text('from');
    const run = await openPretraining(
      folder,
      plan,
      args.integer('threads', 2, [1, 16]),
      from === undefined ? null : join(io.root, from),
    );
    const every = args.integer('every', 400, [1, 100_000]);
    const note = (line: string) => {
      io.err(line);
      appendFileSync(join(folder, 'log.txt'), `${line}\n`);
    };
    note(`vocabulary ${run.tokenizer.vocabSize}, step ${run.progress.step}, tokens ${run.progress.tokens}`);
    let sum = 0;
    let count = 0;
    let since = performance.now();
    let tokens = run.progress.tokens;
    while (!io.signal.aborted) {
      const loss = await run.step();
      await new Promise((resolve) => setImmediate(resolve)); // lets Ctrl-C through
      if (loss !== null) {
        sum += loss;
        count += 1;
      }
      if (count > 0 && (loss === null || run.progress.step % 20 === 0)) {
        const rate = (run.progress.tokens - tokens) / ((performance.now() - since) / 1000);
        const mean = sum / count;
        run.progress.curve.push([run.progress.tokens, Number(mean.toFixed(4))]);
        note(
          `step ${run.progress.step} tokens ${run.progress.tokens} loss ${mean.toFixed(4)} ${rate.toFixed(0)} tokens/s`,
        );
        [sum, count, tokens, since] = [0, 0, run.progress.tokens, performance.now()];
      }
      if (loss === null || run.progress.step % every === 0) {
        await run.save();
        for (const { game } of plan.games) note(await development(run, game));
        since = performance.now();
      }
      if (loss === null) break;
    }
    await run.save();
    for (const name of readdirSync(folder)) {
      if (/^moments-/.test(name) && name !== `moments-${run.progress.step}.bin`) rmSync(join(folder, name));
    }
    if (args.flag('ship')) await ship(folder, shipped);
    await run.session.close();
    return 0;
  },
};

/** Documents a game, by weight, in the first part and in the second: more where an episode holds few answers. */
const GAMES = 'trust:0.8,snake:1,tetris:1,pvz:1,chess:4,minesweeper:4,nullify:4';

function planOf(args: Args): Plan {
  const games = (args.text('games') ?? GAMES).split(',').map((entry) => {
    const [name, weight = '1'] = entry.split(':');
    const [skills, histories = skills] = weight.split('/').map(Number);
    const game = findGame(name!);
    if (!game) throw new CodedError('usage/bad-value', `no game ${name}`, '--games trust,snake:2');
    return { game, weight: { skills: skills!, histories: histories! } };
  });
  const heads = args.integer('heads', 4, [1, 64]);
  return {
    seed: args.integer('seed', 1),
    games,
    tokens: args.integer('tokens', 18_000_000, [1, 1e12]),
    batchTokens: args.integer('batch', 4096, [64, 1e7]),
    lr: args.number('lr', 0.0025, [0, 1]),
    warmup: 100,
    weightDecay: 0.01,
    shape: {
      hidden: args.integer('hidden', 128, [8, 4096]),
      layers: args.integer('layers', 4, [1, 64]),
      heads,
      kvHeads: heads,
      ffn: args.integer('ffn', 448, [8, 16384]),
      context: 2048,
    },
    documentTokens: 2000,
    skills: args.number('skills', 0.5, [0, 1]),
    drills: args.number('drills', 0.25, [0, 1]),
  };
}

/** Strict play on development instances, as the gym plays them. */
async function development(run: Pretraining, game: Game, count = 40): Promise<string> {
  const model: LanguageModel = engineModel(run.session, run.tokenizer, {
    id: 'nano',
    title: 'nano',
    kind: 'engine',
    hash: '',
    tokenizerHash: run.tokenizer.hash,
    parameters: 0,
    context: run.session.config.context,
    layout: 'plain',
    canTrain: false,
    engine: '',
  });
  const plain = await playDevelopment(game, model, count, {});
  const tipped = await playDevelopment(game, model, count, { hints: game.tips!.expert! });
  const parts = [`${game.id}: ${summary(game, plain)}`, `expert tip ${summary(game, tipped)}`];
  return parts.join('; ');
}

function summary(game: Game, episodes: readonly PlayedEpisode[]): string {
  const mean = meanScore(episodes);
  const share = normalised(game, mean);
  const part = share === null ? '' : ` (${share.toFixed(2)})`;
  return `score ${mean.toFixed(2)}${part} valid ${validShare(episodes).toFixed(3)}`;
}

async function ship(from: string, to: string) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (/\.(safetensors|json)$/.test(name) && name !== 'progress.json') copyFileSync(join(from, name), join(to, name));
  }
  // Last: a copy that was cut off does not load.
  await writeManifest(to);
}

async function writeManifest(folder: string) {
  writeFileSync(join(folder, MANIFEST), await makeManifest(await directoryFiles(folder)));
}
