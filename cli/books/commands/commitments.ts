/**
 * `books commitments`: amounts agreed to be spent with providers, what was spent, and how the current period is
 * expected to end.
 */
import { defineRead, extRead } from '../define-read.ts';
import { formatAmount } from '../format-value.ts';
import type { Sheet } from '../sheet.ts';

interface Commitments {
  readonly commitments: readonly {
    readonly name: string;
    readonly provider: string;
    readonly amount: string;
    readonly periods: readonly Period[];
  }[];
}

interface Period {
  readonly from: string;
  readonly until: string;
  readonly spent: string;
  readonly left: string;
  readonly shortfall: string;
  readonly fulfilled_on: string | null;
  readonly forecast: { readonly fulfilled_on: string | null; readonly missed_by: string } | null;
}

export const commitments = defineRead({
  name: 'commitments',
  summary: 'Commitments to providers: spent, left, and when they are fulfilled or by how much they are missed',
  toRead: () => extRead<Commitments>('/commitments', {}, toSheet),
});

function toSheet({ commitments: found }: Commitments): Sheet {
  return {
    facts: [],
    columns: [
      { name: 'name', title: 'Commitment', kind: 'text' },
      { name: 'provider', title: 'Provider', kind: 'text' },
      { name: 'from', title: 'From', kind: 'text' },
      { name: 'until', title: 'Until', kind: 'text' },
      { name: 'amount', title: 'Amount, USD', kind: 'amount' },
      { name: 'spent', title: 'Spent', kind: 'amount' },
      { name: 'left', title: 'Left', kind: 'amount' },
      { name: 'shortfall', title: 'Shortfall', kind: 'amount' },
      { name: 'outcome', title: 'Outcome', kind: 'text' },
    ],
    rows: found.flatMap(({ name, provider, amount, periods }) =>
      periods.map((period) => ({
        name,
        provider,
        from: period.from,
        until: period.until,
        amount,
        spent: period.spent,
        left: period.left,
        shortfall: period.shortfall,
        outcome: outcomeText(period),
      })),
    ),
    remarks: found.length === 0 ? ['No commitments'] : [],
  };
}

function outcomeText({ fulfilled_on: fulfilledOn, forecast, shortfall }: Period): string {
  if (fulfilledOn !== null) return `fulfilled on ${fulfilledOn}`;
  if (forecast === null) return shortfall === '0' ? '' : 'missed';
  return forecast.fulfilled_on === null
    ? `forecast: missed by ${formatAmount(forecast.missed_by)} USD`
    : `forecast: fulfilled on ${forecast.fulfilled_on}`;
}
