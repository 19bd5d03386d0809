/** One model in one period while it is compared: billed and booked amounts, and the difference not yet explained. */
import { type Exact, money, type Money, plain, quantity, type Quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import { type TokenClass, wireName } from '#schema/token-classes.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { MILLION } from '../lines/decimals.ts';
import type { CauseShare } from './bill-comparison.ts';
import type { OwnCharge } from './own-charge.ts';

/** One token class or other unit of a group. */
export interface Cell {
  readonly tokenClass: TokenClass | null;
  readonly unit: string;
  readonly lines: readonly BillLine[];
  readonly own: readonly OwnCharge[];
  /** Null if the bill does not state it. */
  readonly billedQuantity: Quantity | null;
  readonly ownQuantity: Quantity;
  /** The amount to compare; changes when currency and discounts are taken out. */
  billed: Money;
  /** Cost of the events, regardless of the day on which it is booked. */
  readonly ownAmount: Money;
  ownBasis: Money;
  /** Largest error of the billed amount from rounding. */
  bound: Money;
}

export interface Group {
  readonly day: string;
  readonly lastDay: string;
  readonly key: string;
  readonly model: string | null;
  /** Unit of lines that have a unit instead of a model, such as `searches`. */
  readonly unit: string | null;
  readonly lines: readonly BillLine[];
  /** Sum of the lines. */
  readonly billed: Money;
  readonly own: readonly OwnCharge[];
  readonly cells: readonly Cell[];
  /** The difference not yet explained; null if an amount in the books is unknown, or the bill's exchange rate. */
  remaining: Money | null;
  /** Currency of lines that could not be converted. */
  unknownCurrency?: string;
  readonly causes: CauseShare[];
  /** True if later steps skip the group. */
  isDone: boolean;
  /** Scopes that account for all missing quantities. */
  explainedScopes?: readonly string[];
}

/** Amount of a line on the invoice. */
export function billedOf({ net, credit, tax, discount, kind }: BillLine): Money {
  let billed = net ?? (kind === 'credit' ? discount : null) ?? ZERO;
  if (credit !== null) billed = billed.plus(credit);
  return tax === null ? billed : billed.plus(tax);
}

/** The sum of an amount or quantity of each line. Yields where it may pause. */
export function* sumOfLines<T extends Exact<T | 0>>(
  lines: readonly BillLine[],
  valueOf: (line: BillLine) => T | null,
  zero: T,
): Generator<void, T> {
  let total = zero;
  for (const line of lines) {
    const value = valueOf(line);
    if (value !== null) total = total.plus(value);
    yield;
  }
  return total;
}

/** Amount of a line before credits and tax. */
export function netOf(line: BillLine): Money {
  return line.net ?? ZERO;
}

const HALF = quantity('0.5');

/** Half a unit of the source's last digit per row. */
export function roundingBound(lines: readonly BillLine[]): Money {
  const rowsByDigits = new Map<number, number>();
  for (const { part, digits, rows } of lines)
    if (part === 'cost') rowsByDigits.set(digits, (rowsByDigits.get(digits) ?? 0) + rows);
  return sum([...rowsByDigits].map(([digits, rows]) => HALF.times(rows).times(money(`1e-${digits}`))));
}

/** Amounts booked on these days; null if one is unknown. */
export function ownAmountOf(charges: readonly OwnCharge[]): Money | null {
  return totalOf(charges.filter(({ otherDay }) => otherDay === undefined));
}

/** Cost of the events of these days, on whatever day it is booked; null if an amount is unknown. */
export function totalOf(charges: readonly OwnCharge[]): Money | null {
  return charges.some(({ amount }) => amount === null) ? null : sum(charges.map(({ amount }) => amount!));
}

/** Assigns a share of the remaining difference to a cause. Shares and remainder always add up. */
export function take(group: Group, share: CauseShare): void {
  if (group.remaining === null || share.amount.isZero()) return;
  group.causes.push(share);
  group.remaining = group.remaining.minus(share.amount);
}

/** True if |`amount`| ≤ `bound`. */
export function isWithin(amount: Money, bound: Money): boolean {
  return amount.abs().lte(bound);
}

/** Largest error of the group's billed amount from rounding. */
export function groupBound(group: Group): Money {
  return sum(group.cells.map(({ bound }) => bound));
}

/** True if only rounding remains to be explained. */
export function agrees(group: Group): boolean {
  return group.remaining !== null && isWithin(group.remaining, groupBound(group));
}

/** Difference in quantity; null if the bill does not state one. */
export function quantityDifference(cell: Cell): Quantity | null {
  return cell.billedQuantity === null ? null : cell.billedQuantity.minus(cell.ownQuantity);
}

/** Price of one unit in the books; null without a quantity. */
export function ownPrice(cell: Cell): Money | null {
  return cell.ownQuantity.isZero() ? null : cell.ownBasis.div(cell.ownQuantity);
}

/** Billed price of one unit; null without a quantity. */
export function billedPrice(cell: Cell): Money | null {
  return cell.billedQuantity === null || cell.billedQuantity.isZero() ? null : cell.billed.div(cell.billedQuantity);
}

/** Billed ÷ booked, by price if quantities are known and by amount if not. Null without both sides. */
export function ratioOf(cell: Cell): Quantity | null {
  const own = cell.billedQuantity === null ? cell.ownBasis : ownPrice(cell);
  const billed = cell.billedQuantity === null ? cell.billed : billedPrice(cell);
  return own === null || billed === null || own.isZero() || billed.isZero() ? null : billed.div(own);
}

/** Name of a cell in texts: `cache_read`, `searches`. */
export function labelOf({ tokenClass, unit }: Cell): string {
  return tokenClass === null ? unit : wireName(tokenClass);
}

/** USD per million tokens, as price lists print it. */
export function perMillion(price: Money): string {
  return plain(toLedger(price.times(MILLION)).toSignificantDigits(6));
}
