/** `books margin`: profitable and unprofitable end users, also after fixed costs or in the reporting currency. */
import { apiRead, defineRead, extRead } from '../define-read.ts';
import { UsageError } from '../../kit/usage-error.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Row, Sheet } from '../sheet.ts';
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

interface MarginsAfterFixedCosts {
  readonly margin_after_fixed_costs: {
    readonly revenue: string;
    readonly model_cost: string;
    readonly replaced_cost: string;
    readonly fixed_cost: string;
    readonly shortfall_cost: string;
    readonly adjustment_cost: string;
    readonly margin_amount: string;
    readonly margin_percent: number | null;
    readonly warnings: readonly { readonly message: string }[];
    readonly end_users: {
      readonly total_count: number;
      readonly nodes: readonly {
        readonly name: string;
        readonly revenue: string;
        readonly model_cost: string;
        readonly replaced_cost: string;
        readonly allocated_cost: string;
        readonly margin_amount: string;
        readonly margin_percent: number | null;
      }[];
    };
  };
}

/** An amount in the reporting currency. */
interface Money {
  readonly amount: string;
}

interface ReportingMargins {
  readonly reporting_margin: {
    readonly currency: string;
    readonly revenue: Money;
    readonly cost: Money;
    readonly cost_in_usd: string;
    readonly margin: Money;
    readonly margin_percent: number | null;
    readonly fees: Money;
    readonly margin_after_fees: Money;
    readonly exchange_differences: Money;
    readonly latest_rate: {
      readonly day: string;
      readonly from: string;
      readonly to: string;
      readonly rate: string;
    } | null;
    readonly waiting: readonly {
      readonly kind: string;
      readonly amount: { readonly amount: string; readonly currency: string };
      readonly reason: string;
    }[];
    readonly warnings: readonly { readonly message: string }[];
    readonly end_users: {
      readonly total_count: number;
      readonly nodes: readonly {
        readonly name: string;
        readonly revenue: Money;
        readonly cost: Money;
        readonly margin: Money;
        readonly margin_percent: number | null;
        readonly fees: Money;
        readonly exchange_differences: Money;
      }[];
    };
  };
}

const END_USERS = 1_000;

export const margin = defineRead({
  name: 'margin',
  summary: 'Margins by customer, least profitable first',
  flags: {
    'after-fixed-costs': { about: 'Also subtract fixed costs, shortfalls and adjustments without a customer' },
    'reporting-currency': { about: "In the organization's reporting currency, with the payment processor's fees" },
  },
  toRead(args, now) {
    const range = rangeOfArgs(args, now);
    if (args.has('after-fixed-costs') && args.has('reporting-currency'))
      throw new UsageError('Give either --after-fixed-costs or --reporting-currency, not both');
    if (args.has('reporting-currency'))
      return extRead<ReportingMargins>('/reporting-margin', { ...range, first: END_USERS }, reportingSheet);
    if (args.has('after-fixed-costs'))
      return extRead<MarginsAfterFixedCosts>(
        '/margin-after-fixed-costs',
        { ...range, first: END_USERS },
        afterFixedCostsSheet,
      );
    return apiRead(
      '/margin-data/by-end-user',
      range,
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
    );
  },
});

function afterFixedCostsSheet({ margin_after_fixed_costs: total }: MarginsAfterFixedCosts): Sheet {
  const { end_users: endUsers, warnings } = total;
  const hasReplaced = endUsers.nodes.some((line) => line.replaced_cost !== '0') || total.replaced_cost !== '0';
  const usd = (amount: string) => `${formatAmount(amount)} USD`;
  return {
    facts: [
      ['Revenue', usd(total.revenue)],
      ['Model costs', usd(total.model_cost)],
      ...(hasReplaced ? [['Replaced by fixed costs', usd(total.replaced_cost)] as const] : []),
      ['Fixed costs', usd(total.fixed_cost)],
      ['Shortfalls of commitments', usd(total.shortfall_cost)],
      ['Adjustments without a customer', usd(total.adjustment_cost)],
      ['Margin', `${usd(total.margin_amount)} (${formatValue(total.margin_percent, 'percent')})`],
    ],
    columns: [
      { name: 'name', title: 'End user', kind: 'text' },
      { name: 'revenue', title: 'Revenue, USD', kind: 'amount' },
      { name: 'model_cost', title: 'Model costs, USD', kind: 'amount' },
      ...(hasReplaced ? [{ name: 'replaced_cost', title: 'Replaced, USD', kind: 'amount' } as const] : []),
      { name: 'allocated_cost', title: 'Fixed costs, USD', kind: 'amount' },
      { name: 'margin_amount', title: 'Margin, USD', kind: 'amount' },
      { name: 'margin_percent', title: 'Margin', kind: 'percent' },
    ],
    rows: endUsers.nodes.map((line) => ({ ...line })),
    remarks: [
      ...warnings.map(({ message }) => message),
      ...(endUsers.total_count > endUsers.nodes.length
        ? [`Only the ${endUsers.nodes.length} least profitable customers are shown.`]
        : []),
    ],
  };
}

function reportingSheet({ reporting_margin: total }: ReportingMargins): Sheet {
  const { currency, end_users: endUsers, latest_rate: rate } = total;
  const shown = ({ amount }: Money) => `${formatAmount(amount)} ${currency}`;
  return {
    facts: [
      ['Revenue', shown(total.revenue)],
      ['Cost', `${shown(total.cost)} (${formatAmount(total.cost_in_usd)} USD)`],
      ['Margin', `${shown(total.margin)} (${formatValue(total.margin_percent, 'percent')})`],
      ["Payment processor's fees", shown(total.fees)],
      ['Margin after fees', shown(total.margin_after_fees)],
      ['Exchange differences', shown(total.exchange_differences)],
      ...(rate === null ? [] : [['Latest rate', `${rate.rate} ${rate.to} for one ${rate.from}, ${rate.day}`] as const]),
    ],
    columns: [
      { name: 'name', title: 'End user', kind: 'text' },
      { name: 'revenue', title: `Revenue, ${currency}`, kind: 'amount' },
      { name: 'cost', title: `Cost, ${currency}`, kind: 'amount' },
      { name: 'margin', title: `Margin, ${currency}`, kind: 'amount' },
      { name: 'margin_percent', title: 'Margin', kind: 'percent' },
      { name: 'fees', title: `Fees, ${currency}`, kind: 'amount' },
      { name: 'exchange_differences', title: `Exchange differences, ${currency}`, kind: 'amount' },
    ],
    rows: endUsers.nodes.map((line) => ({
      name: line.name,
      revenue: line.revenue.amount,
      cost: line.cost.amount,
      margin: line.margin.amount,
      margin_percent: line.margin_percent,
      fees: line.fees.amount,
      exchange_differences: line.exchange_differences.amount,
    })),
    remarks: [
      ...total.waiting.map(
        ({ kind, amount, reason }) =>
          `Not included: ${kind.toLowerCase()} of ${formatAmount(amount.amount)} ${amount.currency}. ${reason}.`,
      ),
      ...total.warnings.map(({ message }) => message),
      ...(endUsers.total_count > endUsers.nodes.length
        ? [`Only the ${endUsers.nodes.length} least profitable customers are shown.`]
        : []),
    ],
  };
}
