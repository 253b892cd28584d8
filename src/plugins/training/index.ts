// Parameter training: supervised LoRA updates on the steps that the arm's own scores keep; evaluated with no hints.
// `training-random` keeps as many steps, chosen at random: tells selection from mere exposure and format.
import { hashText } from '../../hash.ts';
import type { AdapterSaved, Consolidation } from '../../log/events.ts';
import type { ExperienceView } from '../../gym/experience.ts';
import type { Arm, ArmContext, Plugin, Produce } from '../../gym/plugin.ts';
import { correctLow } from './correct.ts';
import { buildExamples } from './examples.ts';
import { chooseSteps } from './select.ts';
import { guardBefore, REFUSALS, update, type TrainingState } from './update.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'training',
    version: '1',
    kinds: ['pathway'],
    settings: [],
    reads: ['observation', 'completion', 'selfScore'],
    arms: [
      {
        name: 'training',
        title: 'Training',
        summary: 'LoRA updates on the steps that it scored high itself.',
        controls: ['frozen', 'training-random', 'frozen-sharp'],
        trains: true,
      },
      {
        name: 'training-random',
        title: 'Training, random steps',
        family: 'training',
        control: true,
        summary: 'A control: as many steps as training keeps, chosen at random.',
        controls: ['frozen'],
        trains: true,
      },
    ],
  },
  arm: (name, context) => trainingArm(name, context),
};

function trainingArm(name: string, context: ArmContext): Arm {
  const episodes: ExperienceView[] = [];
  const state: TrainingState = { adapter: context.from.adapter, optimizer: null, refused: 0, stopped: null };
  /** Episodes before this one were trained on already. */
  let trained = 0;
  /** How many were played before the first update. */
  let untrained: number | null = null;

  async function* train(produce: Produce, x: number) {
    const latest = episodes.slice(trained);
    const window = context.settings.trainWindow === 'all' ? episodes : latest;
    trained = episodes.length;
    untrained ??= trained;
    const consolidation = yield* produce('consolidation', async () => {
      const { kept, low } = chooseSteps(window, context, name === 'training-random');
      const corrected = context.settings.correct === true ? await correctLow(window, low, context) : [];
      const replaced = corrected.filter((one) => one.to !== null).length;
      const total = window.reduce((sum, view) => sum + view.steps.length, 0);
      return {
        draft: {
          type: 'consolidation',
          runSeed: context.runSeed,
          game: context.game,
          pathway: context.name,
          x,
          sentence: `${kept.length} of ${total} steps become training examples${replaced > 0 ? `, ${replaced} more with another action` : ''}.`,
          kept,
          dropped: low,
          corrected,
          prompt: null,
          promptTokens: null,
          completion: null,
          completionTokens: null,
          memory: null,
          hash: hashText(JSON.stringify(await buildExamples(window, { kept, corrected }, context))),
        },
      };
    });
    const stop = state.stopped ?? guardBefore(episodes.slice(0, untrained), latest, context);
    if (consolidation.kept.length + consolidation.corrected.length === 0 && stop === null) return;
    yield* produce('adapter.saved', async (live) => {
      const examples = await buildExamples(window, consolidation, context);
      return update(state, examples, latest, stop, x, context, live);
    });
  }

  return {
    blockwise: true,
    adapter: () => state.adapter,
    experience(view) {
      episodes.push(view);
    },
    beforeCheckpoint: train,
    async absorb(event: Consolidation | AdapterSaved | { type: 'plugin' }) {
      if (event.type !== 'adapter.saved') return;
      state.refused = event.refused ?? 0;
      // A refused update is dropped, and training goes on from where it was.
      state.stopped = state.refused === 0 || state.refused >= REFUSALS ? event.guard : null;
      state.optimizer = event.optimizer;
      if (event.hash === state.adapter) return;
      const files = { config: event.config, tensors: await context.blob(event.hash) };
      // Already resident when it was trained just now; read from its blob when the run is being resumed.
      await context.training!.load(files);
      state.adapter = event.hash;
    },
  };
}
