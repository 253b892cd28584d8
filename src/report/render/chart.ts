// The curve of one game and split as an SVG text: a line and a band per arm, random and expert as rules.
// A small chart of our own, because Observable Plot wants a document and Node has none; the page draws with Plot.
import { decimalsFor, formatNumber } from '../format.ts';
import type { ArmReport, SplitReport } from '../types.ts';
import { armText } from './cells.ts';
import { escapeHtml } from './escape.ts';
import { STYLE } from './style.ts';

const WIDTH = 760;
const HEIGHT = 320;
const MARGIN = { left: 48, right: 250, top: 14, bottom: 36 };
const DASH: Readonly<Record<string, string>> = { frozen: '2 3', history: '7 3', summary: '9 3 2 3' };

export function chart(split: SplitReport, unit: string): string {
  const drawn = split.arms.filter((arm) => arm.points.some((point) => point.mean !== null));
  if (drawn.length === 0) return '';
  const x = scale([0, Math.max(1, ...split.xs)], [MARGIN.left, WIDTH - MARGIN.right]);
  const y = scale(range(split), [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const labels = spread(drawn.map((arm) => ({ arm, y: y(lastMean(arm)) })));
  const parts = [
    ...ticks(y.domain).map((value) => {
      const text = formatNumber(value, decimalsFor((y.domain[1] - y.domain[0]) / 4) - 1 < 0 ? 0 : 1);
      return `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${r(y(value))}" y2="${r(y(value))}"/><text class="tick" x="${MARGIN.left - 6}" y="${r(y(value) + 4)}" text-anchor="end">${text}</text>`;
    }),
    ...split.xs.map(
      (value) =>
        `<text class="tick" x="${r(x(value))}" y="${HEIGHT - MARGIN.bottom + 16}" text-anchor="middle">${value}</text>`,
    ),
    `<text class="tick" x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">episodes explored</text>`,
    `<text class="tick" x="4" y="11">${escapeHtml(unit)}</text>`,
    ...rules(split).map(({ name, value }) => {
      const inside = value >= y.domain[0] && value <= y.domain[1];
      return inside
        ? `<line class="rule" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${r(y(value))}" y2="${r(y(value))}"/><text class="tick" x="${MARGIN.left + 4}" y="${r(y(value) - 3)}">${name}</text>`
        : '';
    }),
    // Bands of controls would only cover the others'; their intervals stand in the table.
    ...drawn.filter((arm) => !arm.control).map((arm) => band(arm, x, y)),
    ...drawn.map((arm) => line(arm, x, y)),
    ...labels.map(
      ({ arm, y: at }) =>
        `<text class="label ${familyClass(arm)}" x="${WIDTH - MARGIN.right + 8}" y="${r(at + 4)}">${escapeHtml(armText(split, arm.arm))}</text>`,
    ),
  ];
  const title = `Held-out ${escapeHtml(unit)} by episodes explored`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${parts.join('')}</svg>`;
}

/** The same as a file of its own. */
export function chartFile(split: SplitReport, unit: string): string {
  const drawn = chart(split, unit).replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');
  // Where the picture stands is not ours to know, so it brings its own ground.
  const ground = `svg{background:var(--paper)}`;
  return drawn === '' ? '' : `${drawn.replace('>', `><style>${STYLE}${ground}</style>`)}\n`;
}

/** Only known names become class names. */
const familyClass = ({ family }: ArmReport) =>
  ['frozen', 'history', 'summary', 'training'].includes(family) ? family : 'other';

function band(arm: ArmReport, x: Scale, y: Scale): string {
  const points = arm.points.filter((point) => point.lo !== null && point.hi !== null);
  if (points.length < 2) return '';
  const upper = points.map((point) => `${r(x(point.x))},${r(y(point.hi!))}`);
  const lower = points.map((point) => `${r(x(point.x))},${r(y(point.lo!))}`).reverse();
  return `<polygon class="band ${familyClass(arm)}" points="${[...upper, ...lower].join(' ')}"/>`;
}

function line(arm: ArmReport, x: Scale, y: Scale): string {
  const points = arm.points.filter((point) => point.mean !== null);
  const path = points.map((point) => `${r(x(point.x))},${r(y(point.mean!))}`).join(' ');
  const dash = arm.label === 'oracle-fed' ? '1 3' : DASH[arm.family];
  const thin = arm.control ? ' thin' : '';
  return `<polyline class="line ${familyClass(arm)}${thin}" points="${path}"${dash === undefined ? '' : ` stroke-dasharray="${dash}"`}/>`;
}

function rules({ baselines }: SplitReport): { name: string; value: number }[] {
  if (!baselines) return [];
  const found = [
    { name: 'random', value: baselines.random },
    { name: 'expert', value: baselines.expert },
  ];
  return baselines.nothing === undefined ? found : [...found, { name: 'doing nothing', value: baselines.nothing }];
}

/** Of bands and lines; baselines join where they do not squeeze the curves to under a third of the height. */
function range(split: SplitReport): [number, number] {
  const values = split.arms.flatMap((arm) => arm.points.flatMap((p) => [p.mean, p.lo, p.hi])).filter((v) => v !== null);
  let low = Math.min(...values);
  let high = Math.max(...values);
  const own = high - low || 1;
  for (const { value } of rules(split)) {
    if (Math.max(high, value) - Math.min(low, value) > 3 * own) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const pad = (high - low || 1) * 0.05;
  return [low - pad, high + pad];
}

interface Scale {
  (value: number): number;
  domain: readonly [number, number];
}

function scale(domain: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const of = (value: number) => from + ((value - domain[0]) / (domain[1] - domain[0])) * (to - from);
  return Object.assign(of, { domain });
}

function ticks([low, high]: readonly [number, number]): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough)!;
  const found: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}

const lastMean = (arm: ArmReport) => arm.points.findLast((point) => point.mean !== null)!.mean!;

/** Moves labels apart to 14 pixels, from the top down. */
function spread<T extends { y: number }>(labels: T[]): T[] {
  const sorted = labels.sort((a, b) => a.y - b.y);
  sorted.forEach((label, i) => {
    if (i > 0) label.y = Math.max(label.y, sorted[i - 1]!.y + 14);
  });
  return sorted;
}

const r = (value: number) => Math.round(value * 10) / 10;
