/** Simulations as tables: before and after, by end user or customer. */
import { formatAmount, formatValue } from './format-value.ts';
import type { Sheet } from './sheet.ts';

interface Range {
  readonly low: string;
  readonly expected: string;
  readonly high: string;
}

interface Simulated {
  readonly before: string;
  readonly after: Range;
  readonly difference: Range;
  readonly percent: number | null;
}

export interface CostSimulation {
  readonly total: Simulated;
  readonly unassigned: Simulated;
  readonly end_users: {
    readonly total_count: number;
    readonly items: readonly (Simulated & { readonly end_user: { readonly external_id: string } })[];
  };
  readonly not_covered: readonly {
    readonly detail: string;
    readonly model_slug: string;
    readonly event_count: number;
    readonly cost: string;
  }[];
  readonly tokenizers: readonly { readonly model: string; readonly by_model: string; readonly source: string }[];
}

interface PlanFigures {
  readonly cost: string;
  readonly revenue_before: string;
  readonly revenue_after: string;
  readonly margin_before: string;
  readonly margin_after: string;
}

export interface PlanSimulation {
  readonly customer_count: number;
  readonly became_unprofitable: number;
  readonly became_profitable: number;
  readonly break_even: { readonly total: string; readonly median: string; readonly everyone: string } | null;
  readonly total: PlanFigures;
  readonly customers: {
    readonly items: readonly {
      readonly name: string;
      readonly break_even_flat: string;
      readonly turned: string | null;
      readonly figures: PlanFigures;
    }[];
  };
}

export function costSheet({
  total,
  unassigned,
  end_users: endUsers,
  not_covered: kept,
  tokenizers,
}: CostSimulation): Sheet {
  const row = ({ before, after, difference, percent }: Simulated) => ({
    before,
    low: after.low,
    after: after.expected,
    high: after.high,
    difference: difference.expected,
    percent,
  });
  const hidden = endUsers.total_count - endUsers.items.length;
  return {
    facts: [
      ['Before', `${formatAmount(total.before)} USD`],
      ['After', inWords(total.after)],
      ['Difference', `${inWords(total.difference)} (${formatValue(total.percent, 'percent')})`],
    ],
    columns: [
      { name: 'end_user', title: 'End user', kind: 'text' },
      { name: 'before', title: 'Before, USD', kind: 'amount' },
      { name: 'low', title: 'At least', kind: 'amount' },
      { name: 'after', title: 'After, USD', kind: 'amount' },
      { name: 'high', title: 'At most', kind: 'amount' },
      { name: 'difference', title: 'Difference', kind: 'amount' },
      { name: 'percent', title: 'Percent', kind: 'percent' },
    ],
    rows: [
      ...endUsers.items.map((one) => ({ end_user: one.end_user.external_id, ...row(one) })),
      { end_user: null, ...row(unassigned) },
    ],
    remarks: [
      ...(hidden > 0 ? [`${hidden} more end users are included in the totals`] : []),
      ...kept.map(
        ({ event_count: count, model_slug: model, cost, detail }) =>
          `${count} events of ${model} not recalculated: ${formatAmount(cost)} USD (${detail})`,
      ),
      ...tokenizers.map(
        ({ model, by_model: byModel, source }) => `${model} and ${byModel} count tokens differently: ${source}`,
      ),
    ],
  };
}

function inWords({ low, expected, high }: Range): string {
  const range = low === high ? '' : ` (${formatAmount(low)} to ${formatAmount(high)})`;
  return `${formatAmount(expected)} USD${range}`;
}

const TURNS: Readonly<Record<string, string>> = {
  BECAME_UNPROFITABLE: 'becomes unprofitable',
  BECAME_PROFITABLE: 'becomes profitable',
};

export function planSheet({ break_even: breakEven, total, customers, ...counts }: PlanSimulation): Sheet {
  const hidden = counts.customer_count - customers.items.length;
  return {
    facts: [
      ['Revenue', `${formatAmount(total.revenue_before)} USD before, ${formatAmount(total.revenue_after)} USD after`],
      ['Cost', `${formatAmount(total.cost)} USD`],
      ['Margin', `${formatAmount(total.margin_before)} USD before, ${formatAmount(total.margin_after)} USD after`],
      ['Become unprofitable', String(counts.became_unprofitable)],
      ['Become profitable', String(counts.became_profitable)],
      ...(breakEven === null
        ? []
        : [
            [
              'Break-even price',
              `${formatAmount(breakEven.total)} USD for all customers together, ${formatAmount(breakEven.median)} for half of them, ${formatAmount(breakEven.everyone)} for every customer`,
            ] as const,
          ]),
    ],
    columns: [
      { name: 'name', title: 'Customer', kind: 'text' },
      { name: 'cost', title: 'Cost, USD', kind: 'amount' },
      { name: 'revenue_before', title: 'Revenue before', kind: 'amount' },
      { name: 'revenue_after', title: 'After', kind: 'amount' },
      { name: 'margin_after', title: 'Margin after', kind: 'amount' },
      { name: 'break_even_flat', title: 'Break-even price', kind: 'amount' },
      { name: 'turned', title: '', kind: 'text' },
    ],
    rows: customers.items.map(({ figures, turned, ...customer }) => ({
      ...customer,
      ...figures,
      turned: turned === null ? null : (TURNS[turned] ?? turned),
    })),
    remarks: hidden > 0 ? [`${hidden} more customers are included in the totals`] : [],
  };
}
