// Oracle variants: each replaces one link of any arm by the truth. The link whose oracle recovers most is the bottleneck.
import { hashText } from '../../hash.ts';
import type { Arm, Plugin } from '../../gym/plugin.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'oracles',
    version: '1',
    kinds: ['variant'],
    settings: [],
    reads: [],
    arms: [],
    variants: [
      {
        name: 'oracle-judge',
        title: 'oracle judge',
        summary: 'The verifier’s reward stands in the place of the model’s own score.',
        reads: ['verifierReward', 'judgeScore'],
      },
      {
        name: 'oracle-guidance',
        title: 'oracle guidance',
        summary: 'The game’s true advice stands in the place of what the model wrote or remembers.',
        reads: ['expert'],
      },
      {
        name: 'oracle-experience',
        title: 'oracle experience',
        summary: 'An expert acts while exploring; the model still gives each action its score.',
        reads: ['expert'],
      },
    ],
  },
  variant(name, arm, context): Arm {
    switch (name) {
      case 'oracle-judge':
        return wrap(arm, { judge: ({ reward }) => reward ?? null });
      case 'oracle-guidance':
        return wrap(arm, {
          blocks: () => ({ ...arm.blocks?.(), hints: context.guidance! }),
          memory: () => hashText(context.guidance!),
        });
      case 'oracle-experience':
        return wrap(arm, { act: async ({ expert }) => expert!() });
      default:
        throw new RangeError(name);
    }
  },
};

/** The arm with some hooks replaced; hooks that read `this` keep their own. */
const wrap = (arm: Arm, hooks: Partial<Arm>): Arm => Object.assign(Object.create(arm) as Arm, hooks);
