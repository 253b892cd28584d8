// Prepared questions: each is a set of settings, what to look at, and why it is worth a run.
import type { Settings } from '../../gym/settings.ts';

interface Lesson {
  title: string;
  text: string;
  look: string;
  settings: Settings;
}

export const LESSONS: readonly Lesson[] = [
  {
    title: 'Does it help at all?',
    text: 'Three ways to learn from one’s own play, against a model that learns nothing.',
    look: 'The intervals: a line above frozen is no finding while its band crosses it.',
    settings: {},
  },
  {
    title: 'Is it learning, or only sharper?',
    text: 'Training on one’s own answers also makes them less random, and that alone moves scores.',
    look: 'Training against frozen sharp, which learns nothing and samples at a lower temperature.',
    settings: { pathways: ['frozen', 'training', 'frozen-sharp'] },
  },
  {
    title: 'Is it the choice, or the exposure?',
    text: 'As many training steps on moves chosen at random instead of by its own score.',
    look: 'Training against training random: what lies between them is owed to its judgement.',
    settings: { pathways: ['frozen', 'training', 'training-random'] },
  },
  {
    title: 'Do the scores in the history matter?',
    text: 'The same episodes in the prompt, ordered by their scores, and with the scores shuffled.',
    look: 'If shuffled does as well, it follows examples, not scores.',
    settings: { pathways: ['frozen', 'history', 'history-ranked', 'history-shuffled'] },
  },
  {
    title: 'When immediate reward misleads',
    text: 'In Trust a cheat pays at once and costs later. Training keeps what it scored above zero.',
    look: 'Training may hurt here, and its judge is not to blame: the target is.',
    settings: { games: ['trust-v1'], pathways: ['frozen', 'history', 'training'] },
  },
  {
    title: 'Is its judge the bottleneck?',
    text: 'The verifier’s reward takes the place of its own score. This run is oracle-fed and labelled so.',
    look: 'If training gains with a true judge only, its own judgement was the weak link.',
    settings: { judge: 'oracle', pathways: ['frozen', 'training'] },
  },
];
