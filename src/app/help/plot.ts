// The held-out curve with Observable Plot: a line and a band per arm, random and expert as rules at the edges. Loaded
// by itself, after the first move, because Plot is larger than the rest of the page.
import { areaY, axisX, axisY, dot, line, plot, ruleY, text } from '@observablehq/plot';
import type { ArmReport, SplitReport } from '../../report/types.ts';
import { marksOf } from '../../report/arms.ts';
import { armLook } from '../arms.ts';
import { number } from '../words.ts';

interface CurveOptions {
  split: SplitReport;
  width: number;
  /** Last x of the run, so that the axis stands still while checkpoints arrive. */
  lastX: number;
}

const LEFT = 34;
const TOP = 14;
const BOTTOM = 34;

export function curve({ split, width, lastX }: CurveOptions): SVGSVGElement | HTMLElement {
  const height = Math.round(Math.min(340, Math.max(240, width * 0.56)));
  // x = 0 is shared by all: until an arm has a point of its own, frozen stands for it.
  const arms = split.arms.filter(
    ({ family, points }) => family === 'frozen' || points.some((point) => point.x > 0 && point.mean !== null),
  );
  const names = arms.map(nameOf);
  const longest = Math.max(0, ...names.flat().map(({ length }) => length));
  const right = Math.max(width < 420 ? 86 : 118, 14 + 6.2 * longest);
  const rules = rulesOf(split);
  const values = [
    ...arms.flatMap((arm) => arm.points.flatMap((point) => [point.mean, point.lo, point.hi])),
    ...rules.map((rule) => rule.value),
  ].filter((value): value is number => value !== null);
  const [low, high] = padded(values, split.scoreStep);
  const x: [number, number] = [0, Math.max(1, lastX, ...split.xs)];
  const scale = (value: number) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
  const ticks = [...new Set([...spaced(split.xs, width < 420 ? 5 : 8), x[1]])];

  const chart = plot({
    width,
    height,
    marginLeft: LEFT,
    marginRight: right,
    marginTop: TOP,
    marginBottom: BOTTOM,
    x: { domain: x, label: null },
    y: { domain: [low, high], label: null },
    style: {
      background: 'transparent',
      color: 'var(--mute)',
      fontFamily: 'inherit',
      fontSize: '12px',
      overflow: 'visible',
    },
    ariaLabel: 'Held-out score by episodes explored; the table below has the numbers',
    marks: [
      axisX({ ticks, tickSize: 0, tickFormat: 'd', tickPadding: 8 }),
      axisY({ ticks: 5, tickSize: 0, tickPadding: 8 }),
      ruleY([low], { stroke: 'var(--line)' }),
      ruleY(rules, { y: 'value', stroke: 'var(--line)' }),
      text(rules, {
        y: 'value',
        text: (rule: Rule) => `${rule.name} ${number(rule.value, 1)}`,
        frameAnchor: 'right',
        textAnchor: 'end',
        dy: -7,
        fontSize: 11,
        fill: 'var(--mute)',
      }),
      ...arms.flatMap((arm) => {
        const look = armLook(arm.arm);
        const points = arm.points.filter((point) => point.mean !== null);
        const banded = points.filter((point) => point.lo !== null && point.hi !== null);
        return [
          areaY(banded, {
            x: 'x',
            y1: 'lo',
            y2: 'hi',
            fill: look.color,
            // Many bands are mud: a control's interval stands in the table and in its sentence.
            fillOpacity: look.control ? 0 : 0.13,
          }),
          line(points, {
            x: 'x',
            y: 'mean',
            stroke: look.color,
            strokeWidth: look.width,
            strokeDasharray: look.dash || undefined,
            strokeLinecap: 'round',
          }),
          ...(points.length < 3 ? [dot(points, { x: 'x', y: 'mean', fill: look.color, r: 3 })] : []),
        ];
      }),
      ...labels(arms, scale).map(({ arm, name, at, value, dy }) => {
        const look = armLook(arm);
        return text([value], {
          x: () => at,
          y: (d: number) => d,
          text: () => name.join('\n'),
          textAnchor: 'start',
          dx: 8,
          dy,
          fill: look.text,
          fontSize: look.control ? 11 : 12,
          fontWeight: look.control ? 400 : 600,
        });
      }),
    ],
  });
  // Plot labels its groups, which have no role; the picture as a whole has the label.
  for (const group of chart.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  chart.setAttribute('role', 'img');
  return chart;
}

interface Rule {
  name: string;
  value: number;
}

function rulesOf({ baselines }: SplitReport): Rule[] {
  if (!baselines) return [];
  const rules = [
    { name: 'expert', value: baselines.expert },
    { name: 'random', value: baselines.random },
  ];
  return baselines.nothing === undefined ? rules : [...rules, { name: 'doing nothing', value: baselines.nothing }];
}

/** A little room around the values; never less than one step of the score. */
function padded(values: readonly number[], step: number): [number, number] {
  if (values.length === 0) return [0, step];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max(high - low, step) * 0.06;
  return [low >= 0 ? 0 : low - room, Math.max(high, Math.min(0, low) + step) + room];
}

/** An arm's name by its line, what it varies on a second one; marked where something must be said of it. */
const nameOf = (arm: ArmReport): string[] =>
  `${armLook(arm.arm).title}${marksOf(arm) === '' ? '' : ' †'}`.split(/ (?=\()/);

const LINE_HEIGHT = 13;

/** Labels at the lines' ends, pushed apart so that none covers another. */
function labels(arms: readonly ArmReport[], scale: (value: number) => number) {
  const ends = arms.flatMap((one) => {
    const { arm, points } = one;
    const last = points.filter((point) => point.mean !== null).at(-1);
    const name = nameOf(one);
    return last ? [{ arm, name, at: last.x, value: last.mean!, y: scale(last.mean!) }] : [];
  });
  ends.sort((a, b) => a.y - b.y);
  const placed: number[] = [];
  for (const [i, end] of ends.entries()) {
    const above = ends[i - 1];
    const apart = above ? ((above.name.length + end.name.length) / 2) * LINE_HEIGHT + 2 : 0;
    placed.push(above ? Math.max(end.y, placed[i - 1]! + apart) : end.y);
  }
  // Where pushing down went too far, the whole group moves up by half of it.
  const over = ends.map((end, i) => placed[i]! - end.y);
  const shift = ends.length > 0 ? Math.max(...over) / 2 : 0;
  return ends.map((end, i) => ({ ...end, dy: placed[i]! - end.y - shift }));
}

function spaced(xs: readonly number[], most: number) {
  const every = Math.ceil((xs.length - 1) / most);
  return xs.filter((_, i) => i % every === 0 || i === xs.length - 1);
}
