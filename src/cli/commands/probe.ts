// `s3 probe`: what a model makes of each slot of the prompt. The right content should beat none, and none the wrong one.
import type { Game, Role } from '../../../games/contract.ts';
import { advance, observe, reset } from '../../../games/episode.ts';
import { findGame, games as allGames } from '../../../games/registry.ts';
import { stream } from '../../../games/rng.ts';
import { CodedError } from '../../errors.ts';
import { parseAnswer } from '../../gym/answer.ts';
import { episodeLines } from '../../gym/memory.ts';
import { correctionPrompt, judgePrompt, stateText, type PromptBlocks } from '../../gym/prompts.ts';
import { openModelByName } from '../../models/open.node.ts';
import type { LanguageModel, PromptPart } from '../../models/types.ts';
import { formatEstimate } from '../../report/format.ts';
import { estimate } from '../../report/interval.ts';
import type { Command } from '../command.ts';
import { goalText, HELD_OUT, noteOf } from '../pretrain/corpus.ts';
import { playDevelopment } from '../pretrain/develop.ts';
import { ranked } from '../pretrain/play.ts';

interface Difference {
  mean: number;
  lo: number | null;
  hi: number | null;
}

interface Probe {
  game: string;
  slot: string;
  /** Means with the right content, with none, with the wrong one. */
  right: number;
  none: number;
  wrong: number;
  rightMinusNone: Difference;
  noneMinusWrong: Difference;
}

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
    }
    await model.close();
    io.out(args.flag('json') ? JSON.stringify({ model: model.card.hash, episodes: count, probes }) : tableOf(probes));
    return 0;
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

async function* probesOf(game: Game, model: LanguageModel, count: number): AsyncGenerator<Probe> {
  const ranking = ranked(game);
  const [worst, top] = [ranking[0]!, 'expert'];
  const slots: Record<string, [right: PromptBlocks, wrong: PromptBlocks]> = {
    Tips: [{ hints: game.tips![top]! }, { hints: game.tips![worst]! }],
    History: [{ hints: episodesOf(game, top) }, { hints: episodesOf(game, worst) }],
    Note: [{ note: noteOf(game, top) }, { note: noteOf(game, worst) }],
    Goal: [
      { goal: goalText(game, 'strict', expected(game, top)) },
      { goal: goalText(game, 'strict', expected(game, worst)) },
    ],
  };
  const scores = async (blocks: PromptBlocks) => {
    const episodes = await playDevelopment(game, model, count, blocks);
    return episodes.map(({ score, instance, cluster }) => ({ score, cluster: cluster ?? instance }));
  };
  const none = await scores({});
  for (const [slot, [rightBlocks, wrongBlocks]] of Object.entries(slots)) {
    yield compare(
      game,
      slot,
      none.map(({ cluster }) => cluster),
      {
        right: (await scores(rightBlocks)).map(({ score }) => score),
        none: none.map(({ score }) => score),
        wrong: (await scores(wrongBlocks)).map(({ score }) => score),
      },
    );
  }
  yield* judgeAndCorrect(game, model, count);
}

function compare(
  game: Game,
  slot: string,
  clusters: readonly string[],
  { right, none, wrong }: Record<'right' | 'none' | 'wrong', readonly number[]>,
): Probe {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const difference = (a: readonly number[], b: readonly number[]): Difference =>
    estimate(a.map((value, i) => ({ value: value - b[i]!, run: 0, cluster: clusters[i]! })))!;
  return {
    game: game.id,
    slot,
    right: mean(right),
    none: mean(none),
    wrong: mean(wrong),
    rightMinusNone: difference(right, none),
    noneMinusWrong: difference(none, wrong),
  };
}

const ROLE: Role = 'development';

/** Two permissive episodes of a strategy as a history shows them. */
function episodesOf(game: Game, strategy: string): string {
  return [0, 1]
    .map((index) => {
      const steps = stepsOf(game, strategy, `history ${index}`);
      return episodeLines({ index, steps, total: 0 });
    })
    .join('\n');
}

function stepsOf(game: Game, strategy: string, seed: string) {
  let episode = reset(game, { preset: 'pocket', phase: 'explore', seed, role: ROLE });
  const rng = stream(seed, 'probe');
  const steps = [];
  for (let step = 0; !episode.end; step++) {
    const observation = observe(episode);
    const action = game.strategies![strategy]!(episode.config, episode.state, rng);
    const next = advance(episode, action);
    const { reward, valid, feedback } = next.report;
    steps.push({ step, observation, action, score: reward, valid, feedback, before: episode });
    episode = next.episode;
  }
  return steps;
}

/** The mean total of a strategy's permissive episodes. */
function expected(game: Game, strategy: string): number {
  const totals = Array.from({ length: 10 }, (_, i) =>
    stepsOf(game, strategy, `goal ${i}`).reduce((sum, { score }) => sum + score, 0),
  );
  return totals.reduce((sum, total) => sum + total, 0) / totals.length;
}

/**
 * Judge: at states of random play, the score of the move with the highest true reward, of the one that was played, and
 * of the one with the lowest. Correct: the true reward of the model's other action, against that of the low one shown.
 */
async function* judgeAndCorrect(game: Game, model: LanguageModel, count: number): AsyncGenerator<Probe> {
  const situations = Array.from({ length: count }, (_, i) => {
    const rng = stream('probe', game.id, i);
    const steps = stepsOf(game, 'expertHalf', `judge ${i}`);
    const at = rng.int(steps.length);
    const { before } = steps[at]!;
    const actions = (game.actions(before.config, before.state) ?? []).slice(0, 40);
    for (const strategy of Object.keys(game.strategies!)) {
      actions.push(game.strategies![strategy]!(before.config, before.state, rng));
    }
    const options = [...new Set(actions)].map((action) => ({ action, reward: advance(before, action).report.reward }));
    options.sort((a, b) => a.reward - b.reward);
    return { steps, at, low: options[0]!, high: options.at(-1)!, middle: rng.pick(options) };
  }).filter(({ low, high }) => high.reward > low.reward);
  if (situations.length < 2) return;
  const clusters = situations.map((_, i) => String(i));
  const stateOf = (steps: (typeof situations)[number]['steps'], i: number) =>
    stateText(i === 0 ? '' : steps[i - 1]!.feedback, steps[i]!.observation);
  const ask = async (prompts: PromptPart[][], maxTokens: number) =>
    (
      await model.complete(
        prompts.map((parts, i) => ({
          parts,
          adapter: null,
          sampling: { temperature: 0, seed: i, maxTokens, stop: ['\n'] },
        })),
      )
    ).map((completion) => completion.text);
  const judged = async (which: 'low' | 'high' | 'middle') => {
    const texts = await ask(
      situations.map((one) => {
        const before = one.steps.slice(0, one.at);
        const turns = before.map((step, i) => ({
          state: stateOf(one.steps, i),
          action: step.action,
          score: step.score,
        }));
        const rules = game.rules(one.steps[0]!.before.config);
        return judgePrompt(rules, turns, stateOf(one.steps, one.at), one[which].action);
      }),
      8,
    );
    return texts.map((answer) => parseAnswer(`Answer: x, Score: ${answer}`).score ?? 0);
  };
  yield compare(game, 'Judge', clusters, {
    right: await judged('high'),
    none: await judged('middle'),
    wrong: await judged('low'),
  });
  const answers = await ask(
    situations.map((one) => {
      const { config } = one.steps[0]!.before;
      return correctionPrompt(game.rules(config), stateOf(one.steps, one.at), one.low.action, one.low.reward);
    }),
    48,
  );
  const corrected = answers.map((answer, i) => {
    const { before } = situations[i]!.steps[situations[i]!.at]!;
    return advance(before, parseAnswer(answer).action ?? 'none').report.reward;
  });
  yield compare(game, 'Correct', clusters, {
    right: corrected,
    none: situations.map(({ middle }) => middle.reward),
    wrong: situations.map(({ low }) => low.reward),
  });
}
