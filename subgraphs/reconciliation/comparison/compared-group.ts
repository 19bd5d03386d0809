/** A model of a period while it is compared: what is billed, what is booked, and how much is still to be explained. */
import { type Money, type Quantity, money, plain, sum, toLedger, ZERO } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import type { BillLine } from '../lines/bill-line.ts';
import type { CauseShare } from './bill-comparison.ts';
import type { OwnCharge } from './own-charge.ts';

/** A class of tokens, or another unit, of a group. */
export interface Cell {
  readonly tokenClass: TokenClass | null;
  readonly unit: string;
  readonly lines: readonly BillLine[];
  readonly own: readonly OwnCharge[];
  /** Null if the bill does not state it. */
  readonly billedQuantity: Quantity | null;
  readonly ownQuantity: Quantity;
  /** What is compared: changes as currency and discount are taken out. */
  billed: Money;
  readonly ownAmount: Money;
  ownBasis: Money;
  /** How far rounding can move the billed amount. */
  bound: Money;
}

export interface Group {
  readonly day: string;
  readonly lastDay: string;
  readonly key: string;
  readonly model: string | null;
  readonly lines: readonly BillLine[];
  readonly own: readonly OwnCharge[];
  readonly cells: readonly Cell[];
  /** The difference not yet explained; null if the books do not know all amounts. */
  remaining: Money | null;
  readonly causes: CauseShare[];
  /** True if no later step may look at it. */
  isDone: boolean;
  /** Scopes that account for all missing quantities. */
  explainedScopes?: readonly string[];
}

/** What the invoice shows for a line. */
export function billedOf({ net, credit, tax, discount, kind }: BillLine): Money {
  const base = net ?? (kind === 'credit' ? discount : null) ?? ZERO;
  return base.plus(credit ?? ZERO).plus(tax ?? ZERO);
}

/** Amounts of a line before what a later step explains. */
export function netOf(line: BillLine): Money {
  return line.net ?? ZERO;
}

const HALF = money('0.5');

/** Half a unit of the source's last digit for each row. */
export function roundingBound(lines: readonly BillLine[]): Money {
  return sum(
    lines
      .filter(({ part }) => part === 'cost')
      .map(({ digits, rows }) => HALF.times(rows).times(money(`1e-${digits}`))),
  );
}

export function ownAmountOf(charges: readonly OwnCharge[]): Money | null {
  return charges.some(({ amount }) => amount === null) ? null : sum(charges.map(({ amount }) => amount!));
}

/** Takes a share of what is to be explained. Nothing is taken twice: shares and rest always add up. */
export function take(group: Group, share: CauseShare): void {
  if (group.remaining === null || share.amount.isZero()) return;
  group.causes.push(share);
  group.remaining = group.remaining.minus(share.amount);
}

export function isWithin(amount: Money, bound: Money): boolean {
  return amount.abs().lessThanOrEqualTo(bound);
}

export function groupBound(group: Group): Money {
  return sum(group.cells.map(({ bound }) => bound));
}

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

export function billedPrice(cell: Cell): Money | null {
  return cell.billedQuantity === null || cell.billedQuantity.isZero() ? null : cell.billed.div(cell.billedQuantity);
}

/** Billed ÷ booked, by price if quantities are known and by amount if not. Null without both sides. */
export function ratioOf(cell: Cell): Money | null {
  const own = cell.billedQuantity === null ? cell.ownBasis : ownPrice(cell);
  const billed = cell.billedQuantity === null ? cell.billed : billedPrice(cell);
  return own === null || billed === null || own.isZero() || billed.isZero() ? null : billed.div(own);
}

/** USD per million tokens, as price lists print it. */
export function perMillion(price: Money): string {
  return plain(toLedger(price.times(money('1000000'))).toSignificantDigits(6));
}
