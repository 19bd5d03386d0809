/** An event's cost by class: as amounts, and as the texts of a row. */
import { money, plain, type Money } from '#kernel/money.ts';
import { byClass, type ByClass, byCost, type ByCost, costOf } from '#schema/token-classes.ts';

/** USD by class: a cost, or the differences of a correction. Null: the class was not reported. */
export interface CostParts extends ByClass<Money, Money | null> {
  readonly total: Money;
}

/** A cost as it is stored and returned: `totalCost`, and a text or null for each class. */
export type CostTexts = { readonly totalCost: string } & ByCost<string, string | null>;

/** USD as plain texts; null for a class that was not reported. */
export function costTexts(parts: CostParts): CostTexts {
  return { totalCost: plain(parts.total), ...byCost<string, string | null>((name) => text(parts[name])) };
}

/** Inverse of {@link costTexts}. */
export function toCostParts(row: CostTexts): CostParts {
  const part = (amount: string | null) => (amount === null ? null : money(amount));
  return { total: money(row.totalCost), ...byClass<Money, Money | null>((name) => part(row[costOf(name)])) };
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}
