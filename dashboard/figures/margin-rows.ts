/** End users with their margins as table rows; pages call them customers. */
import { enumText } from '#kernel/enum-value.ts';
import { percent } from '#kernel/percent.ts';
import { amount, type Amount } from '#kernel/money.ts';
import { type Content, html, type Html } from '../shell/html.ts';
import { formatPercent } from './amount.ts';
import { roundedParts, rounded } from '#kernel/rounded-parts.ts';
import { shownAmount } from './shown-parts.ts';
import { type WindowChoice, windowParameters } from './window-choice.ts';

export interface MarginRow {
  readonly endUserId: string;
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

/** `total`: the sum over all of them, shown below the rows. */
export function marginRows(
  rows: readonly MarginRow[],
  window: WindowChoice,
  {
    head = (column) => column,
    total,
    label,
  }: {
    readonly head?: (column: (typeof MARGIN_COLUMNS)[number]) => Content;
    readonly total?: {
      readonly name: string;
      readonly revenue: string;
      readonly cost: string;
      readonly marginAmount: string;
    };
    readonly label: string;
  },
): Html {
  const figuresOf = (key: 'revenue' | 'cost') => {
    const parts = rows.map((row) => amount(row[key]));
    const sum = total === undefined ? null : amount(total[key]);
    return { exact: parts, shown: sum === null ? parts.map(rounded) : roundedParts(sum, parts) };
  };
  const [revenues, costs] = [figuresOf('revenue'), figuresOf('cost')];
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="fold">
  <thead><tr>${MARGIN_COLUMNS.map((column, place) => html`<th scope="col"${place > 0 && html` class="number"`}>${head(column)}</th>`)}<th scope="col">Status</th></tr></thead>
  <tbody>${rows.map(
    (row, index) => html`
    <tr><th scope="row" class="name"><a href="${customerPath(row.endUserId, window)}">${row.endUserName}</a></th>${figures(
      { exact: revenues.exact[index]!, shown: revenues.shown[index]! },
      { exact: costs.exact[index]!, shown: costs.shown[index]! },
      row.marginPercent,
    )}
      <td><span class="badge ${TONES[row.profitability]}">${enumText(row.profitability)}</span>${amount(row.revenue) === 0n && html` <span class="badge">pays nothing</span>`}</td></tr>`,
  )}
  </tbody>
  ${total && html`<tfoot><tr><th scope="row">${total.name}</th>${figures(toShown(total.revenue), toShown(total.cost), percent(amount(total.marginAmount), amount(total.revenue)))}<td></td></tr></tfoot>`}
</table></div>`;
}

/** Page of an end user, addressed by the service's own UUID: external ids never appear in URLs. */
export function customerPath(endUserId: string, window: Pick<WindowChoice, 'name' | 'from' | 'to'>): string {
  return `/customers/${endUserId}?${new URLSearchParams(windowParameters(window)).toString()}`;
}

interface Shown {
  readonly exact: Amount;
  readonly shown: Amount;
}

function toShown(text: string): Shown {
  return { exact: amount(text), shown: rounded(amount(text)) };
}

/** The shown margin is the difference of the shown amounts. */
function figures(revenue: Shown, cost: Shown, share: number | null): Html {
  const margin = { exact: revenue.exact - cost.exact, shown: revenue.shown - cost.shown };
  return html`<td class="number" data-label="Revenue">${shownAmount(revenue.exact, revenue.shown)}</td><td class="number" data-label="Cost">${shownAmount(cost.exact, cost.shown)}</td><td class="number" data-label="Margin">${shownAmount(margin.exact, margin.shown)}</td><td class="number" data-label="Margin %">${share === null ? '–' : formatPercent(share)}</td>`;
}
