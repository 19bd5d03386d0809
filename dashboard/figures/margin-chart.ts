/** Revenue and cost over time as paired bars, with a table that adds up. */
import { amount, type Amount, money, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { html, type Html } from '../shell/html.ts';
import { formatAmount } from './amount.ts';
import { type ChartMark, chartMarks } from './chart-marks.ts';
import { formatBucket } from './instant.ts';
import { marginCells, marginText, type Shown, shownParts, toShown } from './shown-parts.ts';
import { roundTop } from './trend-chart.ts';

export interface MarginPoint {
  /** First instant or first day of the bucket. */
  readonly start: string;
  readonly revenue: string;
  readonly cost: string;
}

const HEIGHT = 100;
const REVENUE = { label: 'Revenue', pattern: 0 };
const COST = { label: 'Cost', pattern: 1 };

/** `unit`: day, week or month. Requires the patterns of `area-chart.ts` on the page. */
export function marginChart(points: readonly MarginPoint[], unit: string, marks: readonly ChartMark[]): Html {
  const sizes = points.flatMap(({ revenue, cost }) => [revenue, cost].map((text) => money(text).toNumber()));
  const highest = Math.max(...sizes, 0);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || highest <= 0) return html`<p class="muted">No data.</p>`;
  const top = roundTop(highest);
  const marked = chartMarks(
    marks,
    points.map(({ start }) => start),
    unit,
  );
  const revenues = sumOf(points.map(({ revenue }) => revenue));
  const costs = sumOf(points.map(({ cost }) => cost));
  const shownRevenues = shownParts(
    revenues,
    points.map(({ revenue }) => amount(revenue)),
  );
  const shownCosts = shownParts(
    costs,
    points.map(({ cost }) => amount(cost)),
  );
  const losing = points.filter(({ revenue, cost }) => amount(revenue) < amount(cost)).length;
  const bar = (index: number, text: string, { pattern }: typeof REVENUE) => {
    const height = Math.max((money(text).toNumber() / top) * HEIGHT, 0);
    const x = index + (pattern === REVENUE.pattern ? 0.1 : 0.5);
    return html`<rect fill="url(#pattern-${pattern})" x="${(x * 10).toFixed(1)}" width="4" y="${(HEIGHT - height).toFixed(2)}" height="${height.toFixed(2)}"/>`;
  };
  return html`
<p class="muted">${formatAmount(plain(revenues))} revenue and ${formatAmount(plain(costs))} cost${losing > 0 && html`; ${losing} of ${points.length} ${unit}s were unprofitable`}.</p>
<figure class="trend">
  <div class="plot">
    <span class="tick high">${formatAmount(String(top))}</span><span class="tick half">${formatAmount(String(top / 2))}</span>
    <svg viewBox="0 0 ${points.length * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Revenue and cost by ${unit}, also given as a table below">
      <path class="grid" d="M0 0.5H${points.length * 10}M0 ${HEIGHT / 2}H${points.length * 10}"/>
      ${points.map(({ start, revenue, cost }, index) => html`<g><title>${formatBucket(start, unit)}: ${formatAmount(revenue)} revenue, ${formatAmount(cost)} cost, ${marginText(revenue, cost)} margin</title><rect class="slot" x="${index * 10}" width="10" height="${HEIGHT}"/>${bar(index, revenue, REVENUE)}${bar(index, cost, COST)}</g>`)}
      ${marked.lines(points.length * 10, HEIGHT)}
    </svg>
  </div>
  ${marked.strip}
  <div class="axis" aria-hidden="true"><span>${formatBucket(first.start, unit)}</span>${points.length > 1 && html`<span>${formatBucket(last.start, unit)}</span>`}</div>
  ${marked.list}
  <ul class="legend">${[REVENUE, COST].map(({ label, pattern }) => html`<li><svg class="swatch" viewBox="0 0 16 16" aria-hidden="true"><rect fill="url(#pattern-${pattern})" width="16" height="16"/></svg>${label}</li>`)}</ul>
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Revenue and cost by ${unit}"><table class="fold">
      <thead><tr><th scope="col">Start of ${unit}</th><th scope="col" class="number">Revenue</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Margin %</th>${marked.head}</tr></thead>
      <tbody>${points.map(({ start }, index) => row(formatBucket(start, unit), shownRevenues[index]!, shownCosts[index]!, marked.cell(index)))}</tbody>
      <tfoot>${row('Total', toShown(revenues), toShown(costs), marked.head && html`<td></td>`)}</tfoot>
    </table></div>
  </details>
</figure>`;
}

function row(name: string, revenue: Shown, cost: Shown, mark: Html | false): Html {
  const share = percent(revenue.exact - cost.exact, revenue.exact);
  return html`<tr><th scope="row">${name}</th>${marginCells(revenue, cost, share)}${mark}</tr>`;
}

function sumOf(texts: readonly string[]): Amount {
  return texts.reduce((sum, text) => sum + amount(text), 0n);
}
