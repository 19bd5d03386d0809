/**
 * Stacked area chart of costs over time, rendered here. Each layer is a link; its colour and pattern are repeated in
 * the legend, and its figures in a table.
 */
import { amount, type Amount, money, plain } from '#kernel/money.ts';
import { html, type Html } from '../shell/html.ts';
import { formatAmount, exactAmount } from './amount.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { formatBucket } from './instant.ts';
import { roundTop } from './trend-chart.ts';

export interface Layer {
  readonly name: string;
  /** `null`: no link. */
  readonly href: string | null;
  readonly points: readonly { readonly start: string; readonly cost: string }[];
}

const WIDTH = 720;
const HEIGHT = 240;
const STRIP = 10;
/** Number of layers with their own colour and pattern; the last one is for the rest. */
export const LAYERS = 8;

const PATTERNS = [
  '',
  'M0 8L8 0',
  'M4 0V8',
  'M0 0L8 8',
  'M0 4H8',
  'M3 4H5',
  'M0 8L8 0M0 0L8 8',
  'M4 0V8M0 4H8',
  'M2 2H3M6 6H7',
];

/** Pattern definitions of the layers; included once on a page with charts. */
export const chartPatterns = html`<svg class="unseen" aria-hidden="true" width="0" height="0"><defs>${PATTERNS.map(
  (path, index) =>
    html`<pattern id="pattern-${index}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="layer-${index}" width="8" height="8"/><path class="hatch" d="${path}"/></pattern>`,
)}</defs></svg>`;

/** `unit`: day, week …; layers share their buckets. The rest is the last layer and has the last colour. */
export function areaChart(
  layers: readonly Layer[],
  unit: string,
  { hasRest, marks }: { readonly hasRest: boolean; readonly marks: readonly ChartMark[] },
): Html {
  const buckets = layers[0]?.points.map(({ start }) => start) ?? [];
  const totals = buckets.map((_, bucket) => sumOf(layers.map(({ points }) => points[bucket]?.cost ?? '0')));
  const highest = Math.max(...totals.map((total) => money(plain(total)).toNumber()), 0);
  if (buckets.length === 0 || highest <= 0) return html`<p class="muted">No data.</p>`;
  const top = roundTop(highest);
  const marked = chartMarks(marks, buckets, unit);
  const colourOf = (index: number) => (hasRest && index === layers.length - 1 ? LAYERS : index % LAYERS);
  const width = WIDTH / buckets.length;
  const below = buckets.map(() => 0);
  const areas = layers.map(({ name, href, points }, index) => {
    const edges = points.map(({ cost }, bucket) => {
      const from = below[bucket] ?? 0;
      const until = from + Math.max(money(cost).toNumber(), 0);
      below[bucket] = until;
      return { from: yOf(from, top), until: yOf(until, top) };
    });
    const path = outline(edges, width);
    const label = `${name}: ${formatAmount(totalOf(points))}`;
    const marks = html`<title>${label}</title><path class="layer" fill="url(#pattern-${colourOf(index)})" d="${path}"/>`;
    return href === null ? html`<g>${marks}</g>` : html`<a href="${href}" aria-label="${label}">${marks}</a>`;
  });
  return html`
<figure class="trend">
  <div class="plot tall">
    <span class="tick high">${formatAmount(String(top))}</span><span class="tick half">${formatAmount(String(top / 2))}</span>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT + STRIP}" preserveAspectRatio="none" role="group" aria-label="Costs by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}"/>
      ${areas}
      ${buckets.map((start, bucket) => html`<g><title>${formatBucket(start, unit)}: ${formatAmount(plain(totals[bucket] ?? 0n))}</title><rect class="slot" x="${(bucket * width).toFixed(2)}" y="${HEIGHT}" width="${width.toFixed(2)}" height="${STRIP}"/></g>`)}
      ${marked.lines(WIDTH, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  <div class="axis" aria-hidden="true"><span>${formatBucket(buckets[0] ?? '', unit)}</span>${buckets.length > 1 && html`<span>${formatBucket(buckets.at(-1) ?? '', unit)}</span>`}</div>
  ${marked.list}
  <ul class="legend">${layers.map(
    ({ name, href }, index) =>
      html`
    <li>${swatch(colourOf(index))}${href === null ? name : html`<a href="${href}">${name}</a>`}</li>`,
  )}
  </ul>
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Costs by ${unit}"><table>
      <thead><tr><th scope="col">Start of ${unit}</th>${layers.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}<th scope="col" class="number">Total</th>${marked.head}</tr></thead>
      <tbody>${buckets.map((start, bucket) => html`<tr><th scope="row">${formatBucket(start, unit)}</th>${layers.map(({ points }) => html`<td class="number">${exactAmount(points[bucket]?.cost ?? '0')}</td>`)}<td class="number">${exactAmount(plain(totals[bucket] ?? 0n))}</td>${marked.cell(bucket)}</tr>`)}</tbody>
      <tfoot><tr><th scope="row">Total</th>${layers.map(({ points }) => html`<td class="number">${exactAmount(totalOf(points))}</td>`)}<td class="number">${exactAmount(plain(totals.reduce((sum, total) => sum + total, 0n)))}</td>${marked.head && html`<td></td>`}</tr></tfoot>
    </table></div>
  </details>
</figure>`;
}

/** A sample of a layer's colour and pattern, shown next to its name. */
function swatch(colour: number): Html {
  return html`<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true"><rect fill="url(#pattern-${colour})" width="16" height="16"/></svg>`;
}

function totalOf(points: Layer['points']): string {
  return plain(sumOf(points.map(({ cost }) => cost)));
}

function sumOf(costs: readonly string[]): Amount {
  return costs.reduce((total, cost) => total + amount(cost), 0n);
}

function yOf(value: number, top: number): string {
  return (HEIGHT - (value / top) * HEIGHT).toFixed(2);
}

/** Outline with one flat step per bucket, all of the same width: the area of a step is its cost. */
function outline(edges: readonly { readonly from: string; readonly until: string }[], width: number): string {
  const upper = steps(edges.map(({ until }, bucket) => ({ y: until, x: (bucket + 1) * width })));
  const lower = steps(edges.map(({ from }, bucket) => ({ y: from, x: bucket * width })).reverse());
  return `M0 ${edges[0]?.until ?? HEIGHT}${upper}${lower}Z`;
}

/** A vertical line to each level, then a horizontal line along it. */
function steps(edges: readonly { readonly y: string; readonly x: number }[]): string {
  return edges
    .filter(({ y }, index) => y !== edges[index + 1]?.y)
    .map(({ y, x }) => `V${y}H${x.toFixed(2)}`)
    .join('');
}
