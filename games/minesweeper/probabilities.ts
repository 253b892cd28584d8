// Exact mine probabilities of what is shown: every assignment of the cells beside numbers is enumerated, component by
// component, and weighted by the ways to place the remaining mines. Every layout that agrees is equally likely.
// Knows the marks and the number of mines; never the layout.
import type { Rng } from '../contract.ts';
import { isCovered, isNumber, neighbours, type Size } from './field.ts';

/** Cells with the same numbers beside them are interchangeable; a solution gives each group its count of mines. */
interface Solution {
  counts: number[];
  mines: number;
  /** Ways to choose the cells inside the groups. */
  ways: number;
}
interface Component {
  groups: number[][];
  solutions: Solution[];
}

export interface Posterior {
  /** Layouts that agree with what is shown. */
  layouts: number;
  /** Covered cells (flagged ones too) and the probability that each is a mine; 0 and 1 are exact. */
  mine: Map<number, number>;
  /** One agreeing layout, each equally likely. */
  sample(rng: Rng): number[];
  /** All agreeing layouts; for few. */
  all(): number[][];
}

const choose = (n: number, k: number): number => {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = Math.round((ways * (n - k + i)) / i);
  return ways;
};

export function posterior(size: Size, shown: string, mines: number): Posterior {
  const burst = [...shown].flatMap((mark, cell) => (mark === 'X' ? [cell] : []));
  const { components, far } = split(size, shown);
  const left = mines - burst.length;

  // after[i][k]: ways to place k mines in the components from i on and in the far cells.
  const after: number[][] = Array.from({ length: components.length + 1 }, () => Array<number>(left + 1).fill(0));
  for (let k = 0; k <= left; k++) after[components.length]![k] = choose(far.length, k);
  // before[i][k]: ways to place k mines in the components before i.
  const before = after.map(() => Array<number>(left + 1).fill(0));
  before[0]![0] = 1;
  const add = (from: number[], to: number[], solution: Solution) => {
    for (let k = 0; k + solution.mines <= left; k++) to[k + solution.mines]! += from[k]! * solution.ways;
  };
  for (let i = components.length - 1; i >= 0; i--) {
    for (const solution of components[i]!.solutions) add(after[i + 1]!, after[i]!, solution);
  }
  components.forEach(({ solutions }, i) => {
    for (const solution of solutions) add(before[i]!, before[i + 1]!, solution);
  });

  const layouts = after[0]![left] ?? 0;
  const mine = new Map<number, number>();
  components.forEach(({ groups, solutions }, i) => {
    const total = groups.map(() => 0);
    const safe = groups.map(() => 0);
    for (const { counts, mines: used, ways } of solutions) {
      let rest = 0;
      for (let k = 0; k + used <= left; k++) rest += before[i]![k]! * after[i + 1]![left - used - k]!;
      counts.forEach((count, g) => {
        total[g]! += (ways * rest * count) / groups[g]!.length;
        safe[g]! += ways * rest * (groups[g]!.length - count);
      });
    }
    // Sums of non-negative terms are zero only if every term is: certainty does not suffer from rounding.
    groups.forEach((cells, g) => cells.forEach((cell) => mine.set(cell, safe[g] === 0 ? 1 : total[g]! / layouts)));
  });
  if (far.length > 0) {
    const all = before[components.length]!;
    let expected = 0;
    let safe = 0;
    for (let k = 0; k <= left; k++) {
      const ways = all[k]! * choose(far.length, left - k);
      expected += (ways * (left - k)) / far.length;
      safe += ways * (far.length - (left - k));
    }
    for (const cell of far) mine.set(cell, safe === 0 ? 1 : expected / layouts);
  }

  function sample(rng: Rng): number[] {
    const chosen = [...burst];
    let rest = left;
    components.forEach(({ groups, solutions }, i) => {
      const weights = solutions.map((s) => (s.mines <= rest ? s.ways * after[i + 1]![rest - s.mines]! : 0));
      const solution = solutions[rng.weighted(weights)]!;
      rest -= solution.mines;
      solution.counts.forEach((count, g) => chosen.push(...rng.shuffle(groups[g]!).slice(0, count)));
    });
    return [...chosen, ...rng.shuffle(far).slice(0, rest)].sort((a, b) => a - b);
  }
  function all(): number[][] {
    let partial = [burst];
    for (const { groups, solutions } of [...components, { groups: [far], solutions: null }]) {
      partial = partial.flatMap((chosen) => {
        const counts = solutions ? solutions.map((solution) => solution.counts) : [[mines - chosen.length]];
        return counts.flatMap((each) =>
          each.reduce(
            (lists, count, g) => lists.flatMap((list) => subsets(groups[g]!, count).map((set) => [...list, ...set])),
            [chosen],
          ),
        );
      });
    }
    return partial;
  }
  return { layouts, mine, sample, all };
}

function subsets(cells: readonly number[], count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  if (count < 0) return []; // more mines beside the numbers than there are
  const found: number[][] = [];
  for (let i = from; i <= cells.length - count; i++) {
    for (const rest of subsets(cells, count - 1, i + 1)) found.push([cells[i]!, ...rest]);
  }
  return found;
}

/** The independent parts of the constraints, each solved, and the covered cells with no number beside them. */
function split(size: Size, shown: string): { components: Component[]; far: number[] } {
  const near = neighbours(size);
  const touching = new Map<number, number[]>();
  for (let cell = 0; cell < shown.length; cell++) {
    if (!isNumber(shown[cell]!)) continue;
    for (const other of near[cell]!) {
      if (isCovered(shown[other]!)) touching.set(other, [...(touching.get(other) ?? []), cell]);
    }
  }
  const far = [...shown].flatMap((mark, cell) => (isCovered(mark) && !touching.has(cell) ? [cell] : []));
  const bySignature = new Map<string, { cells: number[]; numbers: number[] }>();
  for (const [cell, numbers] of touching) {
    const key = numbers.join();
    const group = bySignature.get(key) ?? { cells: [], numbers };
    group.cells.push(cell);
    bySignature.set(key, group);
  }
  const open = new Set(bySignature.values());
  const components: Component[] = [];
  for (const first of open) {
    open.delete(first);
    const groups = [first];
    for (const group of groups) {
      for (const other of open) {
        if (other.numbers.some((number) => group.numbers.includes(number))) {
          groups.push(other);
          open.delete(other);
        }
      }
    }
    const need = new Map<number, number>();
    for (const number of groups.flatMap((group) => group.numbers)) {
      need.set(number, Number(shown[number]) - near[number]!.filter((cell) => shown[cell] === 'X').length);
    }
    components.push({ groups: groups.map(({ cells }) => cells), solutions: solve(groups, need) });
  }
  return { components, far };
}

/** Depth-first over the groups in the order in which they touch each other; a number out of reach cuts the branch. */
function solve(groups: { cells: number[]; numbers: number[] }[], need: Map<number, number>): Solution[] {
  const room = new Map<number, number>();
  for (const { cells, numbers } of groups) {
    for (const number of numbers) room.set(number, (room.get(number) ?? 0) + cells.length);
  }
  const solutions: Solution[] = [];
  const counts: number[] = [];
  const place = (g: number, mines: number, ways: number) => {
    if (g === groups.length) {
      solutions.push({ counts: [...counts], mines, ways });
      return;
    }
    const { cells, numbers } = groups[g]!;
    for (const number of numbers) room.set(number, room.get(number)! - cells.length);
    for (let count = 0; count <= cells.length; count++) {
      const fits = numbers.every((n) => need.get(n)! >= count && need.get(n)! - count <= room.get(n)!);
      if (!fits) continue;
      for (const number of numbers) need.set(number, need.get(number)! - count);
      counts.push(count);
      place(g + 1, mines + count, ways * choose(cells.length, count));
      counts.pop();
      for (const number of numbers) need.set(number, need.get(number)! + count);
    }
    for (const number of numbers) room.set(number, room.get(number)! + cells.length);
  };
  place(0, 0, 1);
  return solutions;
}
