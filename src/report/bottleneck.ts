// Which link of the chain holds an arm back: the oracle variant that recovers most held-out score names it.
import { linksOf, titleOf } from './arms.ts';
import { decimalsOf, formatRange, formatSigned } from './format.ts';
import type { Bottleneck, Comparison, ComparisonPoint, Estimate, Link } from './types.ts';

const WORDS: Record<Link, { name: string; truth: string }> = {
  judge: { name: 'its judge', truth: 'with true rewards in place of its own scores' },
  guidance: { name: 'its guidance', truth: 'with true advice in place of its own' },
  experience: { name: 'its experience', truth: 'with an expert’s actions in place of its own' },
};

/**
 * From the comparisons of one game's strict split: each `arm@oracle-…` minus the arm itself at the last x, one link
 * replaced. The bottleneck is the link with the largest mean among those whose interval is above 0.
 */
export function bottleneck(comparisons: readonly Comparison[], unit: string): Bottleneck | null {
  const links = comparisons.flatMap((comparison) => {
    const replaced = linksOf(comparison.arm);
    if (comparison.role !== 'oracle' || replaced.length !== 1 || !comparison.final) return [];
    const { arm, against, final } = comparison;
    return [{ link: replaced[0]!, arm, against, delta: estimateOf(final) }];
  });
  if (links.length === 0) return null;
  const clear = links.filter((entry) => entry.delta.lo !== null && entry.delta.lo > 0);
  const best = clear.reduce<(typeof links)[number] | null>(
    (a, b) => (a === null || b.delta.mean > a.delta.mean ? b : a),
    null,
  );
  if (!best) {
    const tried = [...new Set(links.map((entry) => WORDS[entry.link].name.replace('its ', '')))].join(', ');
    return { links, link: null, sentence: `No link stands out: true ${tried} recovered nothing beyond chance.` };
  }
  const decimals = decimalsOf(best.delta);
  const { name, truth } = WORDS[best.link];
  const gain = `${formatSigned(best.delta.mean, decimals)} ${unit} (${formatRange(best.delta, decimals)})`;
  const most = links.length > 1 ? `, the most of ${links.length} tried` : '';
  const sentence = `The bottleneck of ${titleOf(best.against).toLowerCase()} is ${name}: ${truth}, ${gain}${most}.`;
  return { links, link: best.link, sentence };
}

function estimateOf({ mean, lo, hi, n, units, unit }: ComparisonPoint): Estimate {
  return { mean, lo, hi, n, units, unit };
}
