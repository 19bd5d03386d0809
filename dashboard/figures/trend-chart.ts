/** Bar chart of costs over time, rendered here without scripts or external resources. A table repeats the figures. */
import { money } from '#kernel/money.ts';
import { daysEarlier } from '#kernel/time/duration.ts';
import { html, type Html } from '../shell/html.ts';
import { exactAmount, formatAmount, formatCount } from './amount.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { formatDate } from './instant.ts';

export interface TrendPoint {
  /** First day of the bucket, YYYY-MM-DD. */
  readonly date: string;
  readonly cost: string;
  readonly eventCount: number;
}

const HEIGHT = 100;
/** Share of a bucket's width; the rest is the gap. */
const BAR = 0.72;
const UNITS: Readonly<Record<string, string>> = { daily: 'day', weekly: 'week', monthly: 'month' };

/** `pathOf`: link of a bar, given the first and last day of its bucket; the last bucket ends with the window. */
export function trendChart(
  points: readonly TrendPoint[],
  granularity: string,
  { marks, pathOf }: { marks: readonly ChartMark[]; pathOf: (from: string, to: string | null) => string },
): Html {
  const unit = UNITS[granularity] ?? 'bucket';
  const heights = points.map(({ cost }) => money(cost).toNumber());
  const top = roundTop(Math.max(...heights, 0));
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return html`<p class="muted">No data.</p>`;
  const marked = chartMarks(
    marks,
    points.map(({ date }) => date),
    unit,
  );
  return html`
<figure class="trend">
  <div class="plot">
    <span class="tick high">${formatAmount(String(top))}</span><span class="tick half">${formatAmount(String(top / 2))}</span>
    <svg viewBox="0 0 ${points.length} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="Costs by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${points.length}M0 ${HEIGHT / 2}H${points.length}"/>
      ${points.map(({ date, cost, eventCount }, index) => {
        const height = Math.max(((heights[index] ?? 0) / top) * HEIGHT, 0);
        const label = `${date}: ${formatAmount(cost)}, ${formatCount(eventCount)} events`;
        return html`<a href="${pathOf(date, dayBefore(points[index + 1]?.date))}" aria-label="${label}"><title>${label}</title><rect class="slot" x="${index}" width="1" height="${HEIGHT}"/><rect class="bar" x="${(index + (1 - BAR) / 2).toFixed(2)}" y="${(HEIGHT - height).toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"/></a>`;
      })}
      ${marked.lines(points.length, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  <div class="axis" aria-hidden="true">${formatDate(first.date)}${points.length > 1 && formatDate(last.date)}</div>
  ${marked.list}
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Costs by ${unit}"><table>
      <thead><tr><th scope="col">Start of ${unit}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Events</th>${marked.head}</tr></thead>
      <tbody>${points.map(({ date, cost, eventCount }, index) => html`<tr><th scope="row">${date}</th><td class="number">${exactAmount(cost)}</td><td class="number">${formatCount(eventCount)}</td>${marked.cell(index)}</tr>`)}</tbody>
    </table></div>
  </details>
</figure>`;
}

function dayBefore(date: string | undefined): string | null {
  return date === undefined ? null : daysEarlier(new Date(date), 1).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The next round figure; 1 for an empty chart. */
export function roundTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= highest) ?? 10;
  return Number((steps * power).toPrecision(2));
}
