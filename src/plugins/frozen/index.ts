// Nothing learned: the null that every claim is held against. Evaluated once, with several decode seeds.
import type { Plugin } from '../../gym/plugin.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'frozen',
    version: '1',
    kinds: ['pathway'],
    settings: [],
    reads: [],
    arms: [
      {
        name: 'frozen',
        title: 'Frozen',
        summary: 'The model as it is: it explores nothing and learns nothing.',
        controls: [],
        baseline: true,
        explores: false,
      },
    ],
  },
  arm: () => ({}),
};
