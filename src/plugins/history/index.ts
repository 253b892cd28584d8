// History ICL: earlier exploration episodes, raw, in the prompt. `history` keeps the order of play, `history-ranked`
// orders them by their own scores (best last), `history-shuffled` permutes the scores: scores or examples?
import { stream } from '../../../games/rng.ts';
import { hashText } from '../../hash.ts';
import { episodeLines, lastThatFit, memoryEvent, refs, remember, type Remembered } from '../../gym/memory.ts';
import type { Arm, ArmContext, Plugin } from '../../gym/plugin.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'history',
    version: '1',
    kinds: ['pathway'],
    settings: [],
    reads: ['observation', 'completion', 'selfScore'],
    arms: [
      {
        name: 'history',
        title: 'History',
        summary: 'Its earlier episodes stand in the prompt, in the order of play.',
        controls: ['frozen', 'history-shuffled'],
      },
      {
        name: 'history-ranked',
        title: 'History, ranked',
        family: 'history',
        summary: 'Its best episodes by its own scores stand in the prompt, the best one last.',
        controls: ['frozen', 'history-shuffled'],
      },
      {
        name: 'history-shuffled',
        title: 'History, shuffled scores',
        family: 'history',
        control: true,
        summary: 'A control: as history, with the scores permuted among the steps.',
        controls: ['frozen'],
      },
    ],
  },
  arm: (name, context) => historyArm(name, context),
};

function historyArm(name: string, context: ArmContext): Arm {
  const episodes: Remembered[] = [];
  let hints = context.from.memory ?? '';
  let hash = hints === '' ? null : hashText(hints);
  return {
    blocks: () => (hints === '' ? {} : { hints }),
    memory: () => hash,
    experience(view) {
      episodes.push(remember(view));
    },
    async *afterExplore(produce, x) {
      yield* produce('consolidation', async () => {
        const ordered = name === 'history-ranked' ? byScore(episodes) : episodes;
        const texts =
          name === 'history-shuffled' ? shuffledTexts(ordered, context, x) : ordered.map((one) => episodeLines(one));
        const most = context.settings.historyEpisodes as number;
        // The paper's budget is per call and cuts the tail there; ours drops whole episodes, oldest first.
        const room = context.preset === 'paper' ? Number.POSITIVE_INFINITY : context.hintTokens;
        const fitting = await lastThatFit(texts, room, most, context);
        const kept = ordered.slice(fitting.from);
        return memoryEvent(context, x, {
          sentence: `${kept.length} of ${episodes.length} explored episodes stand in the next prompt.`,
          memory: fitting.texts.join('\n'),
          kept: refs(kept),
          dropped: refs(ordered.slice(0, fitting.from)),
        });
      });
    },
    absorb(event) {
      if (event.type !== 'consolidation') return;
      hints = event.memory ?? '';
      hash = event.hash;
    },
  };
}

/** Worst first, best last; equal ones in the order of play. */
const byScore = (episodes: readonly Remembered[]) =>
  [...episodes].sort((a, b) => a.total - b.total || a.index - b.index);

function shuffledTexts(episodes: readonly Remembered[], context: ArmContext, x: number): string[] {
  const scores = episodes.flatMap((episode) => episode.steps.map((step) => step.score ?? null));
  const permuted = stream(context.seed('shuffle', x)).shuffle(scores);
  let at = 0;
  return episodes.map((episode) => episodeLines(episode, permuted.slice(at, (at += episode.steps.length))));
}
