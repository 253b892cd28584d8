// A separate judge pass: the steps that an arm plays are scored by a call of their own, by the run's model or another
// (setting `judge`), in place of the score that came with the action.
import type { Arm, Plugin } from '../../gym/plugin.ts';

export const plugin: Plugin = {
  manifest: {
    name: 'judge',
    version: '1',
    kinds: ['judge', 'variant'],
    settings: [],
    reads: [],
    arms: [],
    variants: [
      {
        name: 'judge-pass',
        title: 'judge pass',
        summary: 'A separate call scores each action, in place of the score that came with it.',
        reads: ['judgeScore'],
      },
    ],
  },
  variant: (_name, arm, context): Arm =>
    Object.assign(Object.create(arm) as Arm, {
      judgeSteps: (proposals) => context.judge(proposals),
    } satisfies Partial<Arm>),
};
