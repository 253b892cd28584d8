// Tiny games for tests: one that counts, one that hangs or throws on command. Not part of the benchmark.
import { defineGame, type Game, type GameConfig, type Phase, type Preset } from '../../games/contract.ts';

const config = (preset: Preset, phase: Phase): GameConfig => ({
  preset,
  phase,
  stepCap: 6,
  scoreBounds: [0, 6],
  stepRewardBounds: [0, 1],
  scoreStep: 1,
});

interface State {
  target: number;
  hits: number;
}

/** Say the shown number and it counts. `hang` and `throw` do what they say, where `faulty`. */
function counting(id: Game['id'], faulty: boolean): Game {
  return defineGame<GameConfig, { first: number }, State>({
    id,
    title: 'Counting',
    summary: 'Say the number that is shown.',
    unit: 'hits',
    configs: {
      pocket: { explore: config('pocket', 'explore'), strict: config('pocket', 'strict') },
      paper: { explore: config('paper', 'explore'), strict: config('paper', 'strict') },
    },
    legend: { board: 'number: 0123456789\n', line: 'number: 0123456789' },
    rules: () => 'Say the number that is shown.\nAnswer: <NUMBER>, Score: <NUMBER>',
    guidance: () => 'Read the number and say it.',
    generate: (_config, rng) => ({ first: rng.int(1_000_000) }),
    start: (_config, instance) => ({ target: instance.first, hits: 0 }),
    board: (_config, state) => `number:\n${state.target}`,
    line: (_config, board) => board.replace('\n', ' '),
    grammar: () => '\\d{1,7}',
    actions: (_config, state) => [String(state.target), String(state.target + 1)],
    step: (_config, state, action) => {
      if (faulty && action === 'hang') for (;;);
      if (faulty && action === 'throw') throw new Error('a game that throws');
      if (!/^\d{1,7}$/.test(action)) return { valid: false, reason: 'not a number' };
      const hit = Number(action) === state.target;
      const next = { target: (state.target * 7 + 1) % 1_000_000, hits: state.hits + (hit ? 1 : 0) };
      return { valid: true, state: next, feedback: hit ? 'hit' : 'miss', terminated: false };
    },
    score: (_config, state) => state.hits,
    success: (_config, state) => state.hits >= 6,
    random: (_config, state, rng) => rng.pick([String(state.target), String(state.target + 1)]),
    expert: (_config, state) => String(state.target),
    cluster: (_config, state) => (state.target % 2 === 0 ? 'even' : 'odd'),
  });
}

export const countGame = counting('count-v1', false);
export const faultyGame = counting('faulty-v1', true);
export const findTestGame = (name: string): Game | undefined =>
  [countGame, faultyGame].find((game) => game.id === name || game.id === `${name}-v1`);

/**
 * The same as a user-made game's source: plain JavaScript that imports nothing. `extra` runs when it is loaded; the
 * action `found` gives what it left in `globalThis.found`.
 */
export const countSource = (id: string, extra = '') => `
${extra};
const config = (preset, phase) =>
  ({ preset, phase, stepCap: 6, scoreBounds: [0, 6], stepRewardBounds: [0, 1], scoreStep: 1 });
const phases = (preset) => ({ explore: config(preset, 'explore'), strict: config(preset, 'strict') });
let played = 0;
export default ({ defineGame }) => defineGame({
  id: '${id}',
  title: 'Counting', summary: 'Say the number that is shown.', unit: 'hits',
  configs: { pocket: phases('pocket'), paper: phases('paper') },
  legend: { board: 'number: 0123456789', line: 'number: 0123456789' },
  rules: () => 'Say the number that is shown.', guidance: () => 'Read the number and say it.',
  generate: (config, rng) => ({ first: rng.int(1000000) }),
  start: (config, instance) => ({ target: instance.first, hits: 0 }),
  board: (config, state) => 'number: ' + state.target, line: (config, board) => board,
  grammar: () => '\\d{1,7}', actions: () => null,
  step(config, state, action) {
    if (action === 'hang') for (;;);
    if (action === 'throw') throw new Error('a game that throws');
    if (action === 'later') { setTimeout(() => { throw new Error('thrown later'); }); return { valid: false, reason: 'x' }; }
    if (action === 'count') return { valid: false, reason: 'played ' + (++played) };
    if (action === 'found') return { valid: false, reason: String(globalThis.found) };
    if (!/^\\d{1,7}$/.test(action)) return { valid: false, reason: 'not a number' };
    const hit = Number(action) === state.target;
    const next = { target: (state.target * 7 + 1) % 1000000, hits: state.hits + (hit ? 1 : 0) };
    return { valid: true, state: next, feedback: hit ? 'hit' : 'miss', terminated: false };
  },
  score: (config, state) => state.hits, success: (config, state) => state.hits >= 6,
  random: (config, state, rng) => String(state.target + rng.int(2)),
  expert: (config, state) => String(state.target),
});`;
