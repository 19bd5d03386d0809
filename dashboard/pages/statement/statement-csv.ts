/** CSV of a statement, and the hash that the page prints. */
import { createHash } from 'node:crypto';
import { csvLine, type CsvRow } from '#kernel/csv-line.ts';
import { amount, plain } from '#kernel/money.ts';
import type { Statement, StatementPeriod } from './statement-figures.ts';

const HEADER = ['section', 'id', 'name', 'revenue_usd', 'cost_usd', 'margin_usd'];

/**
 * Contains only amounts. Event counts always belong to the month of the event, so they would change in a closed month
 * (decision 29). For the same reason a customer or model without an amount has no row.
 */
export function csvOf({ window: { margin, costs, ledgerCosts } }: Statement, period: StatementPeriod): string {
  const { total, endUsers } = margin;
  const rows: CsvRow[] = [
    [period.unit, period.name, '', null, null, null],
    ...endUsers.nodes
      .filter(({ revenue, cost }) => revenue !== '0' || cost !== '0')
      .map(({ endUser, endUserName, revenue, cost, marginAmount }): CsvRow => [
        'customer',
        endUser.externalId,
        endUserName,
        revenue,
        cost,
        marginAmount,
      ]),
    [
      'unassigned',
      '',
      '',
      plain(amount(total.totalRevenue) - amount(endUsers.totalRevenue)),
      plain(amount(total.totalCost) - amount(endUsers.totalCost)),
      plain(amount(total.marginAmount) - amount(endUsers.marginAmount)),
    ],
    ['total', '', '', total.totalRevenue, total.totalCost, total.marginAmount],
    ...costs.nodes
      .filter(({ totalCost }) => totalCost !== '0')
      .map(({ values, totalCost }): CsvRow => {
        const [provider = '', model = ''] = values.map(({ value }) => value);
        return ['model', provider, model, null, totalCost, null];
      }),
    ...ledgerCosts.corrections.map(({ month: of, totalCost }): CsvRow => ['correction', of, '', null, totalCost, null]),
  ];
  return [HEADER, ...rows].map(csvLine).join('');
}

/** SHA-256. */
export function digestOf(figures: Statement, period: StatementPeriod): string {
  return createHash('sha256').update(csvOf(figures, period)).digest('hex');
}
