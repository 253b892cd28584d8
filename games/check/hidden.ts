// Hidden state must not show: under any other hidden state that agrees with what was seen, an agent is shown the same.
import { stream } from '../rng.ts';
import { fingerprint, must, plainCases, play, type Check, type Context, type Case } from './context.ts';

/** All that depends on a state and may reach an agent, or that an agent does without knowing what is hidden. */
function visible({ game }: Context, { config }: Case, state: unknown): string {
  const board = game.board(config, state);
  const policies = { random: game.random, expert: game.expert, ...game.strategies };
  return JSON.stringify([
    board,
    game.line(config, board),
    game.actions(config, state),
    Object.entries(policies).map(([name, policy]) => [name, policy(config, state, stream(0, 'hidden', name))]),
    NONSENSE.map((action) => {
      const outcome = game.step(config, state, action);
      return outcome.valid ? 'accepted' : outcome.reason;
    }),
  ]);
}

const NONSENSE = ['\0', '', 'nonsense', '0', '-1 -1', '999 999', 'END', 'A:0,0'];

export const hidden: Check = (context) => {
  const { game, episodes } = context;
  if (!game.alternative) return 'no hidden state is declared (no alternative)';
  let compared = 0;
  for (const which of plainCases(context)) {
    for (const policy of ['random', 'expert'] as const) {
      for (let seed = 0; seed < Math.max(2, episodes / 10); seed++) {
        for (const episode of play(game, which, `h${seed}`, policy).episodes) {
          if (episode.end) continue;
          const other = game.alternative(which.config, episode.state, stream(seed, 'alternative', episode.steps));
          // A redraw may come out the same by chance.
          if (other === null || fingerprint(other) === fingerprint(episode.state)) continue;
          const [ours, theirs] = [episode.state, other].map((state) => visible(context, which, state));
          must(
            ours === theirs,
            () => `${which.label}: hidden state shows after ${episode.steps} steps: ${differ(ours!, theirs!)}`,
          );
          compared++;
        }
      }
    }
  }
  if (compared === 0) return 'nothing is hidden: no alternative in any state';
  return `${compared} states against another hidden state`;
};

function differ(a: string, b: string): string {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return `${a.slice(Math.max(0, i - 20), i + 20)} | ${b.slice(Math.max(0, i - 20), i + 20)}`;
}
