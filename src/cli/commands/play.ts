// `s3 play`: a person plays a game in the terminal, under the same rules, caps and scoring as an agent.
import { createInterface } from 'node:readline';
import { PRESETS, ROLES } from '../../../games/contract.ts';
import { advance, observe, reset, type Episode } from '../../../games/episode.ts';
import { matchAction } from '../../../games/grammar.ts';
import type { InstanceSpec } from '../../../games/instance.ts';
import { requireGame } from '../../gym/config.ts';
import type { Args, Command, Io } from '../command.ts';

/** More legal actions than this are not listed at every step. */
const LISTED = 40;
const HELP = '? rules   ! legal actions   END stop';

export const command: Command = {
  name: 'play',
  summary: 'a person plays in the terminal; the last line tells the score',
  usage: `--game NAME [--phase explore|strict] [--preset pocket|paper] [--seed N] [--role ${ROLES.join('|')}] [--split unseen] [--view board|line]`,
  flags: {
    game: { type: 'string' },
    phase: { type: 'string' },
    preset: { type: 'string' },
    seed: { type: 'string' },
    role: { type: 'string' },
    split: { type: 'string' },
    view: { type: 'string' },
  },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const { game, spec } = setupOf(args);
    const view = args.oneOf('view', ['board', 'line'], 'board');
    let episode = reset(game, spec);
    const lines = createInterface({ input: io.stdin, terminal: false });
    io.signal.addEventListener('abort', () => lines.close(), { once: true });
    io.out(`${game.title}, ${spec.preset} ${spec.phase}\n\n${game.rules(episode.config)}\n\n${HELP}`);
    show(episode, view, io);
    for await (const text of lines) {
      const typed = text.trim();
      if (typed === '?') io.out(game.rules(episode.config));
      else if (typed === '!') io.out(listed(episode, Infinity) ?? 'too many to list');
      else if (typed === '' && !matchAction(game.grammar(episode.config), '')) io.out(HELP);
      else episode = act(episode, typed, io);
      if (episode.end) break;
      show(episode, view, io);
    }
    lines.close();
    if (!episode.end) episode = advance(episode, 'END').episode; // the input ended
    io.out(`\n${observe(episode, view)}`);
    io.out(
      `score ${episode.score} ${game.unit}, ${episode.success ? 'success' : 'no success'}, ${episode.steps} steps, ended: ${episode.end}`,
    );
    return 0;
  },
};

function setupOf(args: Args) {
  const name = args.required('game');
  const game = requireGame(name);
  const phase = args.oneOf('phase', ['explore', 'exploration', 'strict', 'evaluation'], 'explore');
  const spec: InstanceSpec = {
    preset: args.oneOf('preset', PRESETS, 'pocket'),
    phase: phase === 'strict' || phase === 'evaluation' ? 'strict' : 'explore',
    seed: args.text('seed') ?? 1,
  };
  if (args.text('role') !== undefined) spec.role = args.oneOf('role', ROLES);
  if (args.text('split') !== undefined) spec.split = args.oneOf('split', ['strict', ...(game.splits ?? [])]);
  return { game, spec };
}

function act(episode: Episode, action: string, io: Io): Episode {
  const next = advance(episode, action);
  if (next.report.feedback) io.out(next.report.feedback);
  return next.episode;
}

function show(episode: Episode, view: 'board' | 'line', io: Io) {
  const { steps, config } = episode;
  const actions = listed(episode, LISTED);
  io.out(
    `\nstep ${steps + 1} of ${config.stepCap}\n${observe(episode, view)}${actions ? `\nactions: ${actions}` : ''}\n>`,
  );
}

function listed({ game, config, state }: Episode, most: number): string | null {
  const actions = game.actions(config, state);
  return actions && actions.length <= most ? actions.map((action) => action || '(empty)').join(' | ') : null;
}
