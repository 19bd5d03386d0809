/** `books margin`: profitable and unprofitable end users. */
import { apiRead, defineRead } from '../define-read.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Row } from '../sheet.ts';
import { formatAmount, formatValue } from '../format-value.ts';

interface Margins {
  readonly end_users: readonly Row[];
  readonly org_total: {
    readonly total_revenue: string;
    readonly total_cost: string;
    readonly margin_amount: string;
    readonly margin_percent: number | null;
    readonly profitability_category: string;
  };
  readonly warnings: readonly { readonly message: string }[];
}

export const margin = defineRead({
  name: 'margin',
  summary: 'Margins by customer, least profitable first',
  toRead: (args, now) =>
    apiRead(
      '/margin-data/by-end-user',
      rangeOfArgs(args, now),
      ({ end_users: endUsers, org_total: total, warnings }: Margins) => ({
        facts: [
          ['Revenue', `${formatAmount(total.total_revenue)} USD`],
          ['Cost', `${formatAmount(total.total_cost)} USD`],
          [
            'Margin',
            `${formatAmount(total.margin_amount)} USD (${formatValue(total.margin_percent, 'percent')}, ${total.profitability_category})`,
          ],
        ],
        columns: [
          { name: 'end_user_name', title: 'End user', kind: 'text' },
          { name: 'revenue', title: 'Revenue, USD', kind: 'amount' },
          { name: 'cost', title: 'Cost, USD', kind: 'amount' },
          { name: 'margin_amount', title: 'Margin, USD', kind: 'amount' },
          { name: 'margin_percent', title: 'Margin', kind: 'percent' },
          { name: 'profitability_category', title: 'Category', kind: 'text' },
        ],
        rows: endUsers,
        remarks: warnings.map(({ message }) => message),
      }),
    ),
});
