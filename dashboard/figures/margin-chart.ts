/** Revenue and cost over time as paired bars, with a table that adds up. */
import { usdText } from '#kernel/usd-text.ts';
import { type Amount, amount, approximate, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import type { CalendarUnit } from '#kernel/time/calendar.ts';
import { type Content, html, type Html } from '../shell/html.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { linePath } from './line-path.ts';
import { marginCells, marginText, ROUNDING, roundingOf, type Shown, toShown } from './shown-parts.ts';
import { type Bucket, bucketsOf, timeAxis } from './time-axis.ts';
import { bucketCell, nameOfUnit, roundTop, ticks } from './trend-chart.ts';

export interface MarginPoint {
  /** First instant or first day of the bucket. */
  readonly start: string;
  readonly revenue: string;
  readonly cost: string;
}

const HEIGHT = 100;
const REVENUE = { label: 'Revenue', pattern: 0 };
const COST = { label: 'Cost', pattern: 1 };

/** The unit of a trend's granularity. */
export function unitOfGranularity(granularity: string): CalendarUnit {
  return granularity === 'monthly' ? 'month' : granularity === 'weekly' ? 'week' : 'day';
}

/**
 * `period`: what the figures cover; buckets that it covers only in part are marked. Requires the patterns of
 * `area-chart.ts` on the page.
 */
export function marginChart(
  points: readonly MarginPoint[],
  unit: CalendarUnit,
  marks: readonly ChartMark[],
  period: { readonly start: string; readonly end: string } | null = null,
): Html {
  const sizes = points.flatMap(({ revenue, cost }) => [revenue, cost].map((text) => approximate(text)));
  const highest = Math.max(...sizes, 0);
  if (points.length === 0 || highest <= 0) return html`<p class="muted">No data.</p>`;
  const top = roundTop(highest);
  const starts = points.map(({ start }) => start);
  const buckets = bucketsOf(starts, unit, period);
  const marked = chartMarks(marks, starts, unit);
  const revenues = sumOf(points.map(({ revenue }) => revenue));
  const costs = sumOf(points.map(({ cost }) => cost));
  const rounding = {
    revenue: roundingOf(
      revenues,
      points.map(({ revenue }) => amount(revenue)),
    ),
    cost: roundingOf(
      costs,
      points.map(({ cost }) => amount(cost)),
    ),
  };
  const losing = points.filter(({ revenue, cost }) => amount(revenue) < amount(cost)).length;
  const bar = (index: number, text: string, { pattern }: typeof REVENUE) => {
    const height = Math.max((approximate(text) / top) * HEIGHT, 0);
    const x = index + (pattern === REVENUE.pattern ? 0.1 : 0.5);
    return html`<rect fill="url(#pattern-${pattern})" x="${(x * 10).toFixed(1)}" width="4" y="${(HEIGHT - height).toFixed(2)}" height="${height.toFixed(2)}"/>`;
  };
  return html`
<p class="muted">${usdText(plain(revenues))} revenue and ${usdText(plain(costs))} cost${losing > 0 && html`; ${losing} of ${points.length} ${unit}s ${losing === 1 ? 'was' : 'were'} unprofitable`}.</p>
<figure class="trend">
  <div class="plot">
    ${ticks(top)}
    <svg viewBox="0 0 ${points.length * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Revenue and cost by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${points.length * 10}M0 ${HEIGHT / 2}H${points.length * 10}"/>
      ${points.map(({ revenue, cost }, index) => html`<g><title>${nameOf(buckets[index]!)}: ${usdText(revenue)} revenue, ${usdText(cost)} cost, ${marginText(revenue, cost)} margin</title><rect class="slot" x="${index * 10}" width="10" height="${HEIGHT}"/>${bar(index, revenue, REVENUE)}${bar(index, cost, COST)}</g>`)}
      ${marked.lines(points.length * 10, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  ${timeAxis(buckets, unit)}
  <ul class="legend">${[REVENUE, COST].map(({ label, pattern }) => html`<li><svg class="swatch" viewBox="0 0 16 16" aria-hidden="true"><rect fill="url(#pattern-${pattern})" width="16" height="16"/></svg>${label}</li>`)}</ul>
  ${percentLine(points, unit)}
  ${marked.list}
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Revenue and cost by ${unit}"><table class="fold readings">
      <thead><tr><th scope="col">${nameOfUnit(unit)}</th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Margin %</th>${marked.head}</tr></thead>
      <tbody>${points.map(({ revenue, cost }, index) => row(bucketCell(buckets[index]!), toShown(amount(revenue)), toShown(amount(cost)), marked.cell(index)))}${(rounding.revenue.shown !== 0n || rounding.cost.shown !== 0n) && html`<tr class="rounding"><th scope="row">${ROUNDING}</th>${marginCells(rounding.revenue, rounding.cost, undefined)}${marked.head && html`<td></td>`}</tr>`}</tbody>
      <tfoot>${row('Total', toShown(revenues), toShown(costs), marked.head && html`<td></td>`)}</tfoot>
    </table></div>
  </details>
</figure>`;
}

function nameOf({ name, isPartial }: Bucket): string {
  return isPartial ? `${name} (partial)` : name;
}

/** Lowest value that is drawn. */
const PERCENT_MIN = -100;

/** Margin % of each bucket with revenue, on its own axis. */
function percentLine(points: readonly MarginPoint[], unit: CalendarUnit): Html | false {
  const shares = points.map(({ revenue, cost }) => percent(amount(revenue) - amount(cost), amount(revenue)));
  const known = shares.filter((share) => share !== null);
  if (known.length < 2) return false;
  const least = Math.min(...known, 0) < 0 ? PERCENT_MIN : 0;
  const yOf = (share: number) => (((100 - Math.max(share, least)) / (100 - least)) * HEIGHT).toFixed(2);
  const line = linePath(shares.map((share, index) => (share === null ? null : [String(index * 10 + 5), yOf(share)])));
  return html`
  <p class="muted note">Margin % by ${unit}${known.some((share) => share < PERCENT_MIN) && ', drawn down to −100%'}</p>
  <div class="plot low">
    <span class="tick high">100%</span>${least < 0 && html`<span class="tick half">0%</span>`}<span class="tick zero">${least < 0 ? '−100%' : '0%'}</span>
    <svg viewBox="0 0 ${points.length * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Margin % by ${unit}, also given as a table below">
      ${least < 0 && html`<rect class="loss" y="${yOf(0)}" width="${points.length * 10}" height="${(HEIGHT - Number(yOf(0))).toFixed(2)}"/>`}
      <path class="grid" d="M0 0.5H${points.length * 10}M0 ${yOf(0)}H${points.length * 10}"/>
      <path class="percent" d="${line}"/>
    </svg>
  </div>`;
}

function row(name: Content, revenue: Shown, cost: Shown, mark: Html | false): Html {
  const share = percent(revenue.exact - cost.exact, revenue.exact);
  return html`<tr><th scope="row">${name}</th>${marginCells(revenue, cost, share)}${mark}</tr>`;
}

function sumOf(texts: readonly string[]): Amount {
  return texts.reduce((sum, text) => sum + amount(text), 0n);
}
