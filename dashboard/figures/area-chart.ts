/**
 * Stacked area chart of costs over time, rendered here. Each layer is a link; its colour and pattern are repeated in
 * the legend, and its figures in a table.
 */
import { usdText } from '#kernel/usd-text.ts';
import { type Amount, amount, approximate, plain } from '#kernel/money.ts';
import type { CalendarUnit } from '#kernel/time/calendar.ts';
import { html, type Html } from '../shell/html.ts';
import { exactAmount } from './amount.ts';
import { ROUNDING, roundingOf, shownAmount } from './shown-parts.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { bucketsOf, timeAxis } from './time-axis.ts';
import { bucketCell, nameOfUnit, roundTop, ticks } from './trend-chart.ts';

export interface Layer {
  readonly name: string;
  /** `null`: no link. */
  readonly href: string | null;
  readonly points: readonly { readonly start: string; readonly cost: string }[];
}

const WIDTH = 720;
const HEIGHT = 240;
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

interface AreaOptions {
  readonly hasRest: boolean;
  readonly marks: readonly ChartMark[];
  /** Period of the figures. Buckets that it covers only in part are marked. */
  readonly period: { readonly start: string; readonly end: string };
  /** Total of the compared period, bucket by bucket from its start; empty without a comparison. */
  readonly before: readonly { readonly cost: string }[];
  readonly beforeLabel: string;
}

/** All layers have the same buckets. The last layer is the rest, and has the last colour. */
export function areaChart(
  layers: readonly Layer[],
  unit: CalendarUnit,
  { hasRest, marks, period, before, beforeLabel }: AreaOptions,
): Html {
  const starts = layers[0]?.points.map(({ start }) => start) ?? [];
  const totals = starts.map((_, bucket) => sumOf(layers.map(({ points }) => points[bucket]?.cost ?? '0')));
  const earlier = before.slice(0, starts.length);
  const highest = Math.max(
    ...totals.map((sum) => approximate(sum)),
    ...earlier.map(({ cost }) => approximate(cost)),
    0,
  );
  if (starts.length === 0 || highest <= 0) return html`<p class="muted">No data.</p>`;
  const top = roundTop(highest);
  const buckets = bucketsOf(starts, unit, period);
  const marked = chartMarks(marks, starts, unit);
  const colours = coloursOf(layers.map(({ name }) => name));
  const colourOf = (index: number) => (hasRest && index === layers.length - 1 ? LAYERS : colours[index]!);
  const width = WIDTH / starts.length;
  const below = starts.map(() => 0);
  const areas = layers.map(({ name, href, points }, index) => {
    const bars = points.map(({ cost }, bucket) => {
      const from = below[bucket] ?? 0;
      const until = from + Math.max(approximate(cost), 0);
      below[bucket] = until;
      return { from: yOf(from, top), until: yOf(until, top) };
    });
    const label = `${name}: ${usdText(totalOf(points))}`;
    const drawn = html`<title>${label}</title><path class="layer" fill="url(#pattern-${colourOf(index)})" d="${columns(bars, width)}"/>`;
    return href === null ? html`<g>${drawn}</g>` : html`<a href="${href}" aria-label="${label}">${drawn}</a>`;
  });
  const hasBefore = earlier.length > 0;
  const columnsOfTable = [...layers.map(({ points }) => points.map(({ cost }) => amount(cost))), totals];
  const roundings = columnsOfTable.map((parts) => roundingOf(total(parts), parts).shown);
  return html`
<figure class="trend">
  <div class="plot tall">
    ${ticks(top)}
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="Costs by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}"/>
      ${areas}
      ${
        hasBefore &&
        html`<path class="before" d="${stairs(
          earlier.map(({ cost }) => yOf(Math.max(approximate(cost), 0), top)),
          width,
        )}"/>`
      }
      ${marked.lines(WIDTH, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  ${timeAxis(buckets, unit)}
  ${marked.list}
  <ul class="legend">${layers.map(
    ({ name, href }, index) =>
      html`
    <li>${swatch(colourOf(index))}${href === null ? name : html`<a href="${href}">${name}</a>`}</li>`,
  )}${
    hasBefore &&
    html`
    <li><svg class="swatch" viewBox="0 0 16 16" aria-hidden="true"><path class="before" d="M0 8H16"/></svg>Total of ${beforeLabel}</li>`
  }
  </ul>
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Costs by ${unit}"><table class="fold readings">
      <thead><tr><th scope="col">${nameOfUnit(unit)}</th>${layers.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}<th scope="col" class="number">Total</th>${hasBefore && html`<th scope="col" class="number">Before</th>`}${marked.head}</tr></thead>
      <tbody>${buckets.map((bucket, index) => html`<tr><th scope="row">${bucketCell(bucket)}</th>${layers.map(({ name, points }) => html`<td class="number" data-label="${name}">${exactAmount(points[index]?.cost ?? '0')}</td>`)}<td class="number" data-label="Total">${exactAmount(plain(totals[index] ?? 0n))}</td>${hasBefore && html`<td class="number" data-label="Before">${earlier[index] === undefined ? '–' : exactAmount(earlier[index].cost)}</td>`}${marked.cell(index)}</tr>`)}${roundings.some((rounding) => rounding !== 0n) && html`<tr class="rounding"><th scope="row">${ROUNDING}</th>${roundings.map((rounding, index) => html`<td class="number" data-label="${layers[index]?.name ?? 'Total'}">${shownAmount(0n, rounding)}</td>`)}${hasBefore && html`<td></td>`}${marked.head && html`<td></td>`}</tr>`}</tbody>
      <tfoot><tr><th scope="row">Total</th>${layers.map(({ name, points }) => html`<td class="number" data-label="${name}">${exactAmount(totalOf(points))}</td>`)}<td class="number" data-label="Total">${exactAmount(plain(total(totals)))}</td>${hasBefore && html`<td></td>`}${marked.head && html`<td></td>`}</tr></tfoot>
    </table></div>
    <p class="muted">Each amount is rounded to cents, so the total of a ${unit} can differ from its parts by some cents.</p>
  </details>
</figure>`;
}

/** A name keeps its colour on every page and in every period, unless two names of one chart would share it. */
function coloursOf(names: readonly string[]): number[] {
  const taken = new Set<number>();
  return names.map((name) => {
    const wanted = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7) % LAYERS;
    const free = Array.from({ length: LAYERS }, (_, step) => (wanted + step) % LAYERS).find((one) => !taken.has(one));
    taken.add(free ?? wanted);
    return free ?? wanted;
  });
}

/** A sample of a layer's colour and pattern, shown next to its name. */
function swatch(colour: number): Html {
  return html`<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true"><rect fill="url(#pattern-${colour})" width="16" height="16"/></svg>`;
}

function totalOf(points: Layer['points']): string {
  return plain(sumOf(points.map(({ cost }) => cost)));
}

function sumOf(costs: readonly string[]): Amount {
  return total(costs.map(amount));
}

function total(parts: readonly Amount[]): Amount {
  return parts.reduce((sum, part) => sum + part, 0n);
}

function yOf(value: number, top: number): string {
  return (HEIGHT - (value / top) * HEIGHT).toFixed(2);
}

/** One column per bucket, all of the same width and with a gap: the area of a column is its cost. */
function columns(bars: readonly { readonly from: string; readonly until: string }[], width: number): string {
  const gap = Math.min(width * 0.12, 4);
  return bars
    .map(({ from, until }, bucket) =>
      from === until
        ? ''
        : `M${(bucket * width + gap / 2).toFixed(2)} ${from}V${until}h${(width - gap).toFixed(2)}V${from}Z`,
    )
    .join('');
}

/** SVG path of a stepped line through one level per bucket. */
function stairs(levels: readonly string[], width: number): string {
  return levels.map((y, bucket) => `${bucket === 0 ? 'M0 ' : 'V'}${y}H${((bucket + 1) * width).toFixed(2)}`).join('');
}
