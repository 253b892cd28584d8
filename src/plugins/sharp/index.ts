// Nothing learned, sampled at the temperature that does best on development instances: tells learning from sharpening.
import * as v from 'valibot';
import type { Plugin } from '../../gym/plugin.ts';

const Choice = v.object({
  temperature: v.number(),
  tried: v.array(v.object({ temperature: v.number(), mean: v.number() })),
});

export const plugin: Plugin = {
  manifest: {
    name: 'sharp',
    version: '1',
    kinds: ['pathway'],
    settings: [],
    // Choosing by score reads the verifier, though on development instances only.
    reads: ['verifierOutcome'],
    arms: [
      {
        name: 'frozen-sharp',
        title: 'Frozen, sharper',
        family: 'frozen',
        control: true,
        summary: 'Nothing learned; sampled at the temperature that does best on development instances.',
        controls: ['frozen'],
        note: 'dev-selected',
        explores: false,
        developmentEpisodes: ({ sharpTemperatures, development }) =>
          (sharpTemperatures as number[]).length * (development as number),
      },
    ],
  },
  arm(_name, context) {
    let temperature: number | null = null;
    return {
      temperature: () => temperature,
      async *prepare(produce) {
        const tried: { temperature: number; mean: number }[] = [];
        for (const candidate of context.settings.sharpTemperatures as number[]) {
          const count = context.settings.development as number;
          tried.push({ temperature: candidate, mean: yield* context.develop({ temperature: candidate, count }) });
        }
        // The first of equals, in the order of the setting.
        const best = tried.reduce((a, b) => (b.mean > a.mean ? b : a));
        yield* produce('plugin', async () => ({
          draft: {
            type: 'plugin',
            plugin: 'sharp',
            version: '1',
            kind: 'temperature',
            payload: { temperature: best.temperature, tried },
          },
        }));
      },
      absorb(event) {
        if (event.type === 'plugin') temperature = v.parse(Choice, event.payload).temperature;
      },
    };
  },
};
