// What an arm is to a report: its family (colour), its title for people, whether it is a control, which link it replaces.
// A log's first line declares it; what an older log leaves out is read from the name. Knows no plug-in.
import type { RunOpened } from '../log/events.ts';
import type { ArmName, ArmReport, Link } from './types.ts';

type Label = ArmReport['label'];

export const FROZEN = 'frozen';
const CONTROL = /-(random|shuffled|sharp|unfiltered|null|twin)$/;
const FAMILIES = ['frozen', 'history', 'summary', 'training'];

export const linksOf = (arm: ArmName): Link[] =>
  (['judge', 'guidance', 'experience'] as const).filter((link) => arm.split('@').includes(`oracle-${link}`));

/** The arm without variants: `training@oracle-judge` -> `training`. */
const baseOf = (arm: ArmName): ArmName => arm.split('@')[0]!;

/** Which colour and dash it has: `history-ranked` -> `history`; an unknown arm is its own family. */
export function familyOf(arm: ArmName): string {
  const base = baseOf(arm);
  return FAMILIES.find((family) => base === family || base.startsWith(`${family}-`)) ?? base.replace(CONTROL, '');
}

export const isControl = (arm: ArmName): boolean => CONTROL.test(baseOf(arm));

/** `history-shuffled` -> `History, shuffled`; `training@oracle-judge` -> `Training (oracle judge)`. */
export function titleOf(arm: ArmName): string {
  const [base, ...variants] = arm.split('@');
  const [first, ...rest] = base!.split('-');
  const name = `${first!.slice(0, 1).toUpperCase()}${first!.slice(1)}`;
  const title = rest.length > 0 ? `${name}, ${rest.join(' ')}` : name;
  return variants.length > 0 ? `${title} (${variants.map((v) => v.replaceAll('-', ' ')).join(', ')})` : title;
}

/** What must be said of an arm wherever it stands: that it saw the verifier, or how it was chosen. '' for most. */
export const marksOf = ({ label, note }: { label: Label; note?: string | null }): string =>
  [label === 'oracle-fed' ? label : '', note ?? ''].filter((mark) => mark !== '').join(', ');

/** Of an arm that nothing declares: what its name says. */
export const labelOf = (arm: ArmName): Label => (linksOf(arm).length > 0 ? 'oracle-fed' : 'hidden-reward');

/** A title with its marks, as people read it: `Training (oracle judge) [oracle-fed]`. */
export const marked = (title: string, marks: string): string => (marks === '' ? title : `${title} [${marks}]`);

/** The arms as the logs' first lines declare them. */
export class Roster {
  readonly #declared: ReadonlyMap<ArmName, RunOpened['arms'][number]>;

  constructor(opened: readonly RunOpened[]) {
    this.#declared = new Map(opened.flatMap(({ arms }) => arms.map((arm) => [arm.name, arm] as const)));
  }

  family = (arm: ArmName): string => this.#declared.get(arm)?.family ?? familyOf(arm);
  title = (arm: ArmName): string => this.#declared.get(arm)?.title ?? titleOf(arm);
  isControl = (arm: ArmName): boolean => this.#declared.get(arm)?.control ?? isControl(arm);
  /** Learns nothing: evaluated once, constant over x. */
  isConstant = (arm: ArmName): boolean => {
    const explores = this.#declared.get(arm)?.explores;
    return explores === undefined ? familyOf(arm) === FROZEN : !explores;
  };
  note = (arm: ArmName): string | null => this.#declared.get(arm)?.note ?? null;
  isOracle = (arm: ArmName): boolean => this.#declared.get(arm)?.label === 'oracle-fed' || arm.includes('@oracle');
  /** Controls that the arm declares for itself. */
  controls = (arm: ArmName): readonly ArmName[] => this.#declared.get(arm)?.controls ?? [];
}

/** Same order in every table, whatever the order of the logs: by family, plain before controls before oracles. */
export function compareArms(a: ArmName, b: ArmName): number {
  const rank = (arm: ArmName) => {
    const family = FAMILIES.indexOf(familyOf(arm));
    return (family < 0 ? FAMILIES.length : family) * 4 + (arm.includes('@') ? 2 : 0) + (isControl(arm) ? 1 : 0);
  };
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}

export type Role = 'frozen' | 'control' | 'oracle' | 'pathway';

/**
 * Which differences are looked at: every arm with frozen; an arm with its controls (a name of its family that ends in
 * `-random`, `-shuffled` and the like under the same variants, and what the arm's declaration names); an oracle variant
 * with the arm without it; summary with history, as the paper's table does.
 */
export function pairsOf(arms: readonly ArmName[], roster: Roster): { arm: ArmName; against: ArmName; role: Role }[] {
  const sorted = [...arms].sort(compareArms);
  const pairs: { arm: ArmName; against: ArmName; role: Role }[] = [];
  const variantsOf = (arm: ArmName) => arm.split('@').slice(1).sort().join('@');
  for (const arm of sorted) {
    if (arm !== FROZEN && arms.includes(FROZEN)) pairs.push({ arm, against: FROZEN, role: 'frozen' });
  }
  for (const arm of sorted) {
    for (const against of sorted) {
      if (arm === against || against === FROZEN) continue;
      const named = roster.controls(arm).includes(against);
      const sameFamily = roster.family(arm) === roster.family(against) && variantsOf(arm) === variantsOf(against);
      const twin = roster.isControl(against) && !roster.isControl(arm) && sameFamily && !roster.isConstant(arm);
      if (named || twin) pairs.push({ arm, against, role: 'control' });
      else if (arm === 'summary' && against === 'history') pairs.push({ arm, against, role: 'pathway' });
      else if (baseOf(arm) === against && arm.includes('@')) pairs.push({ arm, against, role: 'oracle' });
    }
  }
  return pairs;
}
