/** Converts a row of sums: amounts to exact values and counts to numbers. A class that nothing reported stays null. */
import { amount, type Amount, plainText } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { byCost, type ByCost, byTokens, costOf, type TokenCounts, tokensOf } from '#schema/token-classes.ts';
import type { MeasureRow } from '../measures/measure.ts';

/** Costs by class are only displayed, so they stay text. */
export interface Figures extends TokenCounts, ByCost<string, string | null> {
  readonly totalCost: Amount;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

/** `total` is the base of the percentage. */
export function figures(row: MeasureRow, total: Amount): Figures {
  const totalCost = amount(row.totalCost);
  return {
    totalCost,
    ...byTokens<number, number | null>((name) => reported(row[tokensOf(name)], Number)),
    ...byCost<string, string | null>((name) => reported(row[costOf(name)], plainText)),
    eventCount: Number(row.eventCount),
    percentOfTotal: share(totalCost, total),
  };
}

/** Percentage of a total, 0 when the total is zero (decision 9, D27). */
export function share(part: Amount, total: Amount): number {
  return percent(part, total) ?? 0;
}

/** Sum of the rows' costs. */
export function totalOf(rows: readonly { readonly totalCost: string }[]): Amount {
  return rows.reduce((total, row) => total + amount(row.totalCost), 0n);
}

function reported<T>(text: string | null, open: (text: string) => T): T | null {
  return text === null ? null : open(text);
}
