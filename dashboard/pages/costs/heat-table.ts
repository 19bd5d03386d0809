/** Costs by hour of the day and day of the week, as a table with darker cells for higher costs. */
import { usdText } from '#kernel/usd-text.ts';
import { type Amount, amount, approximate, plain } from '#kernel/money.ts';
import { html, type Html } from '../../shell/html.ts';
import { exactAmount } from '../../figures/amount.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Number of shades; 0 means no cost. */
const SHADES = 6;

/** Hours are UTC; row and column sums cover all hours. */
export function heatTable(points: readonly { readonly start: string; readonly cost: string }[]): Html {
  const cells = DAYS.map(() => HOURS.map((): Amount => 0n));
  for (const { start, cost } of points) {
    const at = new Date(start);
    const row = cells[(at.getUTCDay() + 6) % 7];
    if (row) row[at.getUTCHours()] = (row[at.getUTCHours()] ?? 0n) + amount(cost);
  }
  const sizes = cells.flat().map((cell) => approximate(cell));
  const highest = Math.max(...sizes);
  if (highest <= 0) return html`<p class="muted">None in this period.</p>`;
  const bounds = quantiles(sizes.filter((size) => size > 0));
  const shadeOf = (cell: Amount) => {
    const size = approximate(cell);
    return size <= 0 ? 0 : bounds.filter((bound) => bound < size).length + 1;
  };
  const limits = [...bounds, highest].map((limit) => usdText(limit.toFixed(4)));
  const sum = (amounts: readonly Amount[]) => amounts.reduce((total, one) => total + one, 0n);
  const place = sizes.indexOf(highest);
  return html`
<p class="muted">${DAYS[Math.floor(place / 24)]} ${clock(place % 24)}–${clock((place % 24) + 1)} UTC is the most expensive hour: ${usdText(plain(cells.flat()[place] ?? 0n))} in total.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Costs by hour and day of the week"><table class="heat">
  <thead><tr><th scope="col">UTC</th>${HOURS.map((hour) => html`<th scope="col"><span${hour % 6 !== 0 && html` class="minor"`}>${String(hour).padStart(2, '0')}</span></th>`)}<th scope="col" class="number">Total</th></tr></thead>
  <tbody>${DAYS.map((day, row) => html`<tr><th scope="row">${day.slice(0, 3)}</th>${(cells[row] ?? []).map((cell, hour) => html`<td class="shade-${shadeOf(cell)}" title="${day} ${clock(hour)}: ${usdText(plain(cell))}"><span class="unseen">${exactAmount(plain(cell))}</span></td>`)}<td class="number">${exactAmount(plain(sum(cells[row] ?? [])))}</td></tr>`)}</tbody>
  <tfoot><tr><th scope="row">Total</th><td colspan="24"></td><td class="number">${exactAmount(plain(sum(cells.flat())))}</td></tr></tfoot>
</table></div>
<p class="heat-legend muted">Less ${limits.map((limit, step) => html`<span class="shade-${step + 1}" title="up to ${limit}"></span>`)} more. Each shade covers about the same number of hours, up to ${limits.join(', ')}.</p>`;
}

/**
 * Upper bounds of all shades except the last. Each shade gets the same number of hours, so that one expensive hour does
 * not hide the others. Equal bounds share a shade.
 */
function quantiles(sizes: readonly number[]): number[] {
  const sorted = sizes.toSorted((one, other) => one - other);
  const bounds = Array.from(
    { length: SHADES - 1 },
    (_, step) => sorted[Math.ceil(((step + 1) * sorted.length) / SHADES) - 1] ?? 0,
  );
  return [...new Set(bounds)].filter((bound) => bound < (sorted.at(-1) ?? 0));
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}
