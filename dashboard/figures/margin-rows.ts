/** End users with their margins as table rows; pages call them customers. */
import type { EndUserId } from '#kernel/ids.ts';
import { enumText } from '#kernel/enum-value.ts';
import { percent } from '#kernel/percent.ts';
import { amount } from '#kernel/money.ts';
import { type Content, html, type Html } from '../shell/html.ts';
import { marginCells, ROUNDING, roundingOf, toShown } from './shown-parts.ts';
import { type WindowChoice, windowParameters } from './window-choice.ts';

export interface MarginRow {
  readonly endUserId: EndUserId;
  readonly endUserName: string;
  readonly revenue: string;
  readonly cost: string;
  readonly marginAmount: string;
  readonly marginPercent: number | null;
  readonly profitability: Profitability;
}

type Profitability = 'PROFITABLE' | 'BREAK_EVEN' | 'UNPROFITABLE';

const TONES: Readonly<Record<Profitability, string>> = { PROFITABLE: 'good', BREAK_EVEN: '', UNPROFITABLE: 'bad' };

/** Columns of the table; `head` may turn them into links. */
export const MARGIN_COLUMNS = ['Customer', 'Revenue', 'Cost', 'Margin', 'Margin %'] as const;

/**
 * `total`: the sum over all customers, shown below the rows. `warnings`: the warnings of the margin. If there is revenue
 * in other currencies, customers without revenue in USD may still be paying.
 */
export function marginRows(
  rows: readonly MarginRow[],
  window: WindowChoice,
  {
    head = (column) => column,
    total,
    label,
    warnings,
  }: {
    readonly head?: (column: (typeof MARGIN_COLUMNS)[number]) => Content;
    readonly total?: {
      readonly name: string;
      readonly revenue: string;
      readonly cost: string;
      readonly marginAmount: string;
    };
    readonly label: string;
    readonly warnings: readonly { readonly type: string }[];
  },
): Html {
  const isInOthers = warnings.some(({ type }) => type === 'revenue_in_other_currencies');
  const unpaid = isInOthers ? 'no revenue in USD' : 'pays nothing';
  const roundingIn = (key: 'revenue' | 'cost') =>
    roundingOf(
      amount(total?.[key] ?? '0'),
      rows.map((row) => amount(row[key])),
    );
  const [revenueRounding, costRounding] = [roundingIn('revenue'), roundingIn('cost')];
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="fold">
  <thead><tr>${MARGIN_COLUMNS.map((column, place) => html`<th scope="col"${place > 0 && html` class="number"`}>${head(column)}</th>`)}<th scope="col">Status</th></tr></thead>
  <tbody>${rows.map(
    (row) => html`
    <tr><th scope="row" class="name"><a href="${customerPath(row.endUserId, window)}">${row.endUserName}</a></th>${marginCells(toShown(amount(row.revenue)), toShown(amount(row.cost)), row.marginPercent)}
      <td><span class="badge ${TONES[row.profitability]}">${enumText(row.profitability)}</span>${amount(row.revenue) === 0n && html` <span class="badge">${unpaid}</span>`}</td></tr>`,
  )}
  ${total && (revenueRounding.shown !== 0n || costRounding.shown !== 0n) && html`<tr class="rounding"><th scope="row">${ROUNDING}</th>${marginCells(revenueRounding, costRounding, undefined)}<td></td></tr>`}
  </tbody>
  ${total && html`<tfoot><tr><th scope="row">${total.name}</th>${marginCells(toShown(amount(total.revenue)), toShown(amount(total.cost)), percent(amount(total.marginAmount), amount(total.revenue)))}<td></td></tr></tfoot>`}
</table></div>`;
}

/** Page of an end user, addressed by the service's own UUID: external ids never appear in URLs. */
export function customerPath(endUserId: EndUserId, window: Pick<WindowChoice, 'name' | 'from' | 'to'>): string {
  return `/customers/${endUserId}?${new URLSearchParams(windowParameters(window)).toString()}`;
}
