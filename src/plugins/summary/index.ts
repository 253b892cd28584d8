// Summary memory: the model writes tips from its episodes and its own scores; the tips stand where the history would.
import { hashText } from '../../hash.ts';
import { samplingOf } from '../../gym/decoding.ts';
import {
  episodeLines,
  headThatFits,
  lastThatFit,
  memoryEvent,
  refs,
  remember,
  type Remembered,
} from '../../gym/memory.ts';
import type { Arm, ArmContext, Plugin, Produce } from '../../gym/plugin.ts';
import { parseTips, summaryPrompt } from '../../gym/prompts.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'summary',
    version: '1',
    kinds: ['pathway'],
    settings: [
      {
        key: 'summaryOrder',
        label: 'Order in summaries',
        group: 'memory',
        kind: 'choice',
        choices: ['ranked', 'play'],
        default: 'ranked',
        paper: 'play',
        help: 'episodes that a summary reads: ranked by their own scores (best last), or in the order of play',
      },
      {
        key: 'summaryTemperature',
        label: 'Summary temperature',
        group: 'decoding',
        kind: 'number',
        range: [0, 5],
        default: 0,
        paper: 1,
        help: 'sampling when tips are written',
      },
    ],
    reads: ['observation', 'completion', 'selfScore'],
    arms: [
      {
        name: 'summary',
        title: 'Summary',
        summary: 'It writes itself tips from its episodes and its own scores; the tips stand in the prompt.',
        controls: ['frozen'],
      },
    ],
  },
  arm: (_name, context) => summaryArm(context),
};

function summaryArm(context: ArmContext): Arm {
  const episodes: Remembered[] = [];
  let tips = context.from.memory ?? '';
  let hash = tips === '' ? null : hashText(tips);
  /** Episodes that the tips have seen. A call with nothing new to read is left out. */
  let summarised = 0;

  async function* summarise(produce: Produce, x: number) {
    if (episodes.length === summarised) return;
    yield* produce('consolidation', async () => {
      const { settings } = context;
      const ordered =
        settings.summaryOrder === 'ranked'
          ? [...episodes].sort((a, b) => a.total - b.total || a.index - b.index)
          : episodes;
      const texts = ordered.map((one) => episodeLines(one));
      const [tipTokens] = await context.countTokens([tips]);
      const maxTokens = context.answerTokens(settings.summaryTokens as number);
      const room = context.hintTokens - tipTokens! - maxTokens;
      const fitting = await lastThatFit(texts, room, settings.historyEpisodes as number, context);
      const whole = ordered.slice(fitting.from);
      // Where no episode fits whole, the one that would stand last is read as far as there is room.
      const head = whole.length === 0 ? await headThatFits(ordered.at(-1)!, room, context) : null;
      const kept = head ? [head] : whole;
      const seen = refs(kept);
      const isSeen = new Set(seen.map(({ episode, step }) => `${episode} ${step}`));
      const dropped = refs(ordered).filter(({ episode, step }) => !isSeen.has(`${episode} ${step}`));
      if (kept.length === 0) {
        const sentence = 'Not one step fits beside rules and tips: nothing was read, the tips stay.';
        return memoryEvent(context, x, { sentence, memory: tips, kept: [], dropped });
      }
      const history = kept.map((one) => episodeLines(one)).join('\n');
      const parts = summaryPrompt(context.rules, tips, history);
      const [completion] = await context.call([
        {
          parts,
          sampling: samplingOf(context.preset, {
            temperature: settings.summaryTemperature as number,
            seed: context.seed('summary', x),
            maxTokens,
          }),
        },
      ]);
      const written = parseTips(completion!.text);
      // A model that writes nothing keeps the tips it had.
      const memory = written === '' ? tips : written;
      const read = head ? `the first ${head.steps.length} steps of an episode` : `${kept.length} episodes`;
      return memoryEvent(context, x, {
        sentence: written === '' ? 'It wrote no tip; the old ones stay.' : `It wrote new tips from ${read}.`,
        memory,
        kept: seen,
        dropped,
        prompt: context.write([context.rules, history], completion!.promptText),
        promptTokens: completion!.promptIds,
        completion: completion!.text,
        completionTokens: completion!.ids,
      });
    });
  }

  return {
    blocks: () => (tips === '' ? {} : { hints: tips }),
    memory: () => hash,
    experience(view) {
      episodes.push(remember(view));
    },
    beforeExplore: summarise,
    beforeCheckpoint: summarise,
    absorb(event) {
      if (event.type !== 'consolidation') return;
      tips = event.memory ?? '';
      hash = event.hash;
      summarised = episodes.length;
    },
  };
}
