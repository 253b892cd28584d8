// minesweeper-v1: open the safe cells of a hidden layout. All chance is in the layout.
import about from './about.json';
import { defineGame } from '../contract.ts';
import { fill } from '../template.ts';
import { actions, grammar, step } from './action.ts';
import { configs, type MinesweeperConfig } from './config.ts';
import { expert, random, strategies, tips } from './expert.ts';
import { generate, type MinesweeperInstance } from './generate.ts';
import paperGuidance from './guidance.paper.txt?raw';
import pocketGuidance from './guidance.pocket.txt?raw';
import { posterior } from './probabilities.ts';
import paperRules from './rules.paper.txt?raw';
import pocketRules from './rules.pocket.txt?raw';
import { allFlagged, allOpen, score, start, type MinesweeperState } from './state.ts';
import { board, FAR_LISTED, line } from './views.ts';

const TRIES = 20;

export default defineGame<MinesweeperConfig, MinesweeperInstance, MinesweeperState>({
  ...about,
  id: 'minesweeper-v1',
  configs,
  legend: { board: '?012345678FX9mines lv\n', line: '0123456789,() minesvaflowrhg d' },

  rules: (config) =>
    config.preset === 'pocket'
      ? fill(pocketRules, {
          rows: config.rows,
          cols: config.cols,
          mines: config.minMines,
          far: FAR_LISTED,
          lives: spare(config.lives, 'The first mine ends the game.'),
        })
      : fill(paperRules, {
          rows: config.rows,
          cols: config.cols,
          minMines: config.minMines,
          maxMines: config.maxMines,
          cap: config.stepCap,
          lives: spare(config.lives, 'The first mine that you open ends the game.'),
        }),
  guidance: (config) => (config.preset === 'pocket' ? pocketGuidance : paperGuidance).trim(),

  generate,
  start,
  board: (config, state) => board(config, state.shown, state.mines.length, state.lives),
  line,

  grammar,
  actions,
  step,
  score,
  success: (_config, state) => allOpen(state) || allFlagged(state),
  random,
  expert,
  strategies,
  tips,

  reveal: (config, { mines }) =>
    `Mines: ${mines.map((cell) => `${Math.floor(cell / config.cols)},${cell % config.cols}`).join(' ')}.`,
  alternative(config, state, rng) {
    const known = posterior(config, state.shown, state.mines.length);
    const own = state.mines.join();
    for (let tries = 0; tries < TRIES; tries++) {
      const mines = known.sample(rng);
      // Flags that cover a whole layout would have ended the game, so the agent knows that this is not it.
      if (mines.join() !== own && !mines.every((cell) => state.shown[cell] === 'F')) return { ...state, mines };
    }
    return null;
  },
});

const spare = (lives: number, none: string) =>
  lives === 0 ? none : `${lives === 1 ? 'One mine is' : `${lives} mines are`} forgiven, the next one ends the game.`;
