// Any arm, block by block: the episodes between two checkpoints are played side by side with what was remembered before
// them, and it learns at the block's end. For models that are slow one sequence at a time.
import type { Arm, Plugin } from '../../gym/plugin.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'blocks',
    version: '1',
    kinds: ['variant'],
    settings: [],
    reads: [],
    arms: [],
    variants: [
      {
        name: 'blocks',
        title: 'block by block',
        summary: 'Episodes between two checkpoints are played side by side; it learns at the end of the block.',
        reads: [],
      },
    ],
  },
  variant: (_name, arm): Arm => Object.assign(Object.create(arm) as Arm, { blockwise: true } satisfies Partial<Arm>),
};
