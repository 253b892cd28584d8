// One colour and one dash per arm, everywhere; variants derive theirs from the arm they are a control of.
import type { RunOpened } from '../log/events.ts';
import { compareArms, familyOf, isControl, labelOf, marked, marksOf } from '../report/arms.ts';

type Family = 'frozen' | 'history' | 'summary' | 'training' | 'other';

interface ArmLook {
  name: string;
  /** For sentences and labels. */
  title: string;
  /** What it does, in plain words. */
  help: string;
  family: Family;
  /** CSS custom property of the line, and of text in this colour (contrast 4.5 : 1). */
  color: string;
  text: string;
  /** stroke-dasharray of its line; empty is solid. */
  dash: string;
  width: number;
  control: boolean;
}

const FAMILIES: Record<Family, { dash: string; width: number }> = {
  frozen: { dash: '2 4', width: 2 },
  history: { dash: '', width: 2 },
  summary: { dash: '7 4', width: 2.25 },
  training: { dash: '', width: 2.75 },
  other: { dash: '10 3 2 3', width: 2 },
};

const HELP: Record<string, string> = {
  frozen: 'nothing is learned: the null that the others are held against',
  history: 'its earlier episodes, with its own scores, stand in the prompt',
  summary: 'it writes itself tips after each episode and reads them in the next',
  training: 'its own answers that it scored above zero become training examples',
  'history-ranked': 'earlier episodes ordered by their own scores, the best last',
  'history-shuffled': 'the same episodes with the scores shuffled: do the scores matter?',
  'training-random': 'as many steps, chosen at random: is it the choice, or the exposure?',
  'frozen-sharp': 'nothing is learned, only sampled more sharply: is it learning, or sharpening?',
};

const VARIANT_DASHES = ['1 3', '4 2 1 2', '9 3 1 3 1 3'];

export function armLook(name: string): ArmLook {
  const named = familyOf(name);
  const family: Family = named in FAMILIES ? (named as Family) : 'other';
  const control = name !== family || isControl(name);
  const { dash, width } = FAMILIES[family];
  return {
    name,
    title: titleOf(name),
    help: HELP[name] ?? '',
    family,
    color: `var(--${family})`,
    text: `var(--${family}-text)`,
    dash: control ? VARIANT_DASHES[hash(name) % VARIANT_DASHES.length]! : dash,
    width: control ? 1.5 : width,
    control,
  };
}

/** `training@oracle-judge` -> `training (oracle judge)`: no comma, since it stands in lists. */
function titleOf(name: string) {
  const [arm, ...variants] = name.replaceAll('-', ' ').split('@');
  return variants.length > 0 ? `${arm} (${variants.join(' and ')})` : arm!;
}

/** The three ways of learning, and the controls that the page offers by name. */
export const WAYS = ['history', 'summary', 'training'] as const;
export const CONTROLS = ['history-ranked', 'history-shuffled', 'training-random', 'frozen-sharp'] as const;

/** Training first, as charts name the strongest colour first. */
export const byFamily = (a: string, b: string) =>
  ORDER.indexOf(armLook(a).family) - ORDER.indexOf(armLook(b).family) || compareArms(a, b);

const ORDER: Family[] = ['training', 'summary', 'history', 'frozen', 'other'];

/** An arm's title with what must stand beside it wherever it is read, as the run's first line declares it. */
export function armText(name: string, opened: RunOpened | null): string {
  const declared = opened?.arms.find((arm) => arm.name === name) ?? { label: labelOf(name) };
  return marked(armLook(name).title, marksOf(declared));
}

function hash(text: string) {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.charCodeAt(0)) >>> 0;
  return sum;
}
