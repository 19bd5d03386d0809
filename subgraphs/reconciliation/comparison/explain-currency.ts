/**
 * Step 4: if all lines in another currency imply one exchange rate, they are converted and compared in USD. Otherwise
 * the difference is unknown: amounts in two currencies cannot be subtracted.
 */
import { type Money, plain, quantity, type Quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { billedOf, type Cell, type Group, ownAmountOf, quantityDifference, ratioOf, take } from './compared-group.ts';
import { spreadOf } from './spread.ts';

export const OWN_CURRENCY = 'USD';

/** Exchange rates within a month differ a little from day to day. */
const SPREAD_MAX = quantity('0.005');

/** Groups with an unknown exchange rate are skipped by later steps. */
export function explainCurrency(groups: readonly Group[]): void {
  const currencies = new Set(groups.flatMap(({ lines }) => lines.map(({ currency }) => currency)));
  currencies.delete(OWN_CURRENCY);
  for (const currency of currencies) {
    const rate = rateOf(groups, currency);
    for (const group of groups) {
      if (rate === null || isMixed(group, currency)) leaveUnknown(group, currency);
      else convert(group, currency, rate);
    }
  }
}

/** True if a class has costs in this currency and in another one: its amount cannot be converted as a whole. */
function isMixed({ cells }: Group, currency: string): boolean {
  return cells.some((cell) => {
    const costs = cell.lines.filter(({ part }) => part === 'cost');
    return costs.some((line) => line.currency === currency) && costs.some((line) => line.currency !== currency);
  });
}

function leaveUnknown(group: Group, currency: string): void {
  if (group.remaining === null) return;
  // Equal numbers in two currencies are not equal amounts. Without an amount in the books, there is nothing to convert.
  if (group.remaining.isZero() && ownAmountOf(group.own)?.isZero() === true) return;
  if (!group.lines.some((line) => line.part === 'cost' && line.currency === currency)) return;
  group.remaining = null;
  group.unknownCurrency = currency;
}

/** Units of the currency per USD; null if the lines do not imply a single rate. */
function rateOf(groups: readonly Group[], currency: string): Quantity | null {
  const cells = groups
    .filter(({ remaining, isDone }) => remaining !== null && !isDone)
    .flatMap((group) => group.cells)
    .filter((cell) => isOfCurrency(cell, currency) && ratioOf(cell) !== null);
  const found = spreadOf(cells.map((cell) => ratioOf(cell)!));
  // A single line implies a rate only if its quantity is known.
  if (found === null || (cells.length === 1 && cells[0]!.billedQuantity === null)) return null;
  return found.spread.lte(SPREAD_MAX) ? found.median : null;
}

function isOfCurrency(cell: Cell, currency: string): boolean {
  const costs = cell.lines.filter(({ part }) => part === 'cost');
  return costs.length > 0 && costs.every((line) => line.currency === currency);
}

function convert(group: Group, currency: string, rate: Quantity): void {
  const lines = group.lines.filter((line) => line.currency === currency);
  if (lines.length === 0 || group.remaining === null || group.isDone) return;
  let share = ZERO;
  for (const cell of group.cells.filter((candidate) => isOfCurrency(candidate, currency))) {
    const converted = toLedger(cell.billed.div(rate));
    // A line's own rate agrees if it is within the spread.
    const isOwnRate =
      quantityDifference(cell)?.isZero() === true &&
      converted.minus(cell.ownBasis).abs().lte(cell.ownBasis.times(SPREAD_MAX));
    const after = isOwnRate ? cell.ownBasis : converted;
    share = share.plus(cell.billed.minus(after));
    cell.billed = after;
    cell.bound = cell.bound.div(rate);
  }
  const credits = sum(lines.map(creditOf));
  const convertedCredits = toLedger(credits.div(rate));
  share = share.plus(credits.minus(convertedCredits));
  take(group, {
    cause: 'CURRENCY',
    amount: share,
    detail: `${currency}, ${plain(rate.toSignificantDigits(4))} a dollar`,
  });
}

/** Credits keep their sign when they are converted. */
export function creditOf(line: BillLine): Money {
  return line.kind === 'usage'
    ? (line.credit ?? ZERO)
    : ['credit', 'refund'].includes(line.kind)
      ? billedOf(line)
      : ZERO;
}
