/** Bar chart of costs over time, rendered here without scripts or external resources. A table repeats the figures. */
import { exactUsdText, usdText } from '#kernel/usd-text.ts';
import { approximate } from '#kernel/money.ts';
import type { CalendarUnit } from '#kernel/time/calendar.ts';
import { html, type Html } from '../shell/html.ts';
import { exactAmount, formatCount } from './amount.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { type Bucket, bucketsOf, endOf, timeAxis } from './time-axis.ts';

export interface TrendPoint {
  /** First instant or first day of the bucket. */
  readonly start: string;
  readonly cost: string;
  readonly eventCount: number;
}

const HEIGHT = 100;
/** Share of a bucket's width; the rest is the gap. */
const BAR = 0.72;

export interface TrendOptions {
  readonly marks: readonly ChartMark[];
  /** Link of a bar, given its bucket and the start of the next one; the last bucket ends with the period. */
  readonly pathOf: (start: string, next: string | null) => string;
  /** Period of the figures. Buckets that it covers only in part are marked. */
  readonly period?: { readonly start: string; readonly end: string };
  /** Bars of this time are highlighted. */
  readonly cause?: { readonly start: string; readonly end: string } | null;
}

const WHOLE_DOLLARS_FROM = 10;

export function trendChart(
  points: readonly TrendPoint[],
  unit: CalendarUnit,
  { marks, pathOf, period, cause = null }: TrendOptions,
): Html {
  const heights = points.map(({ cost }) => approximate(cost));
  const top = roundTop(Math.max(...heights, 0));
  if (points.length === 0) return html`<p class="muted">No data.</p>`;
  const starts = points.map(({ start }) => start);
  const buckets = bucketsOf(starts, unit, period ?? null);
  const marked = chartMarks(marks, starts, unit);
  const yOf = (value: number) => (HEIGHT - (value / top) * HEIGHT).toFixed(2);
  const whole = heights.filter((_, index) => !buckets[index]!.isPartial);
  const average = whole.length > 2 ? whole.reduce((sum, height) => sum + height, 0) / whole.length : null;
  const isCause = (start: string) =>
    cause !== null && Date.parse(start) < Date.parse(cause.end) && endOf(start, unit) > Date.parse(cause.start);
  return html`
<figure class="trend">
  <div class="plot">
    ${ticks(top)}
    <svg viewBox="0 0 ${points.length} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="Costs by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${points.length}M0 ${HEIGHT / 2}H${points.length}"/>
      ${points.map(({ start, cost, eventCount }, index) => {
        const height = Math.max(((heights[index] ?? 0) / top) * HEIGHT, 0);
        const { name, isPartial } = buckets[index]!;
        const label = `${name}${isPartial ? ' (partial)' : ''}: ${usdText(cost)}, ${formatCount(eventCount)} ${eventCount === 1 ? 'event' : 'events'}`;
        const kind = isCause(start) ? 'bar cause' : isPartial ? 'bar partial' : 'bar';
        return html`<a href="${pathOf(start, points[index + 1]?.start ?? null)}" aria-label="${label}"><title>${label}</title><rect class="slot" x="${index}" width="1" height="${HEIGHT}"/><rect class="${kind}" x="${(index + (1 - BAR) / 2).toFixed(2)}" y="${(HEIGHT - height).toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"/></a>`;
      })}
      ${average !== null && html`<path class="average" d="M0 ${yOf(average)}H${points.length}"/>`}
      ${marked.lines(points.length, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  ${timeAxis(buckets, unit)}
  ${average !== null && html`<p class="muted note">Dashed line: average of a full ${unit}, ${usdText(average.toFixed(2))}.</p>`}
  ${marked.list}
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Costs by ${unit}"><table class="fold readings">
      <thead><tr><th scope="col">${nameOfUnit(unit)}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Events</th>${marked.head}</tr></thead>
      <tbody>${points.map(({ cost, eventCount }, index) => html`<tr><th scope="row">${bucketCell(buckets[index]!)}</th><td class="number" data-label="Cost">${exactAmount(cost)}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td>${marked.cell(index)}</tr>`)}</tbody>
    </table></div>
  </details>
</figure>`;
}

/** Amounts at the top, in the middle and at the bottom of a plot. */
export function ticks(top: number): Html {
  return html`<span class="tick high">${tickText(top)}</span><span class="tick half">${tickText(top / 2)}</span><span class="tick zero">$0</span>`;
}

/** Whole dollars leave out the cents, so that labels are short. */
export function tickText(value: number): string {
  const text = exactUsdText(String(value));
  return value >= WHOLE_DOLLARS_FROM ? text.replace(/\.00$/, '') : text;
}

export function nameOfUnit(unit: CalendarUnit): string {
  return unit === 'week' ? 'Week of' : `${unit.slice(0, 1).toUpperCase()}${unit.slice(1)}`;
}

export function bucketCell({ name, isPartial }: Bucket): Html {
  return html`${name}${isPartial && html` <span class="muted">partial</span>`}`;
}

/** The next round figure; 1 for an empty chart. */
export function roundTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= highest) ?? 10;
  return Number((steps * power).toPrecision(2));
}
