/** Step 5: credits, and discounts that the source states or that all lines imply equally. */
import { type Money, NO_QUANTITY, ONE, plain, quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import { billedPrice, type Cell, type Group, isWithin, ownPrice, ratioOf, take } from './compared-group.ts';
import { creditOf, OWN_CURRENCY } from './explain-currency.ts';
import type { KnownPrices } from './known-prices.ts';
import { spreadOf } from './spread.ts';

const HUNDRED = quantity(100);
/** The ratios of one discount differ only by rounding. */
const SPREAD_MAX = quantity('0.0005');

/** The share is the sum of the lines' credits. */
export function explainCredits(group: Group): void {
  const taken = sum(group.causes.filter(({ cause }) => cause === 'CURRENCY').map(({ amount }) => amount));
  const lines = group.lines.filter((line) => !creditOf(line).isZero());
  const credits = sum(lines.map(creditOf));
  if (credits.isZero()) return;
  // Credits in another currency were converted with everything else.
  const isConverted = lines.some(({ currency }) => currency !== OWN_CURRENCY) && !taken.isZero();
  const rest = group.remaining === null || !isConverted ? credits : convertedCredits(group, credits);
  take(group, { cause: 'CREDIT', amount: rest, detail: `credits and refunds of ${plain(credits)}` });
}

/** The part of the difference that credits account for after conversion: everything outside the cells. */
function convertedCredits(group: Group, credits: Money): Money {
  const cells = sum(group.cells.map((cell) => cell.billed.minus(cell.ownAmount)));
  return group.remaining?.minus(cells) ?? credits;
}

/** The source states list and net amounts; the books may have a discount of their own. */
export function explainStatedDiscount(group: Group): void {
  let share = ZERO;
  let bound = ZERO;
  let [listed, charged] = [ZERO, ZERO];
  const listedCells: { cell: Cell; list: Money; ownList: Money }[] = [];
  for (const cell of group.cells) {
    const costs = cell.lines.filter(({ part }) => part === 'cost');
    const list = totalOrNull(costs.map((line) => line.list));
    if (list === null || costs.length === 0 || costs.some(({ currency }) => currency !== OWN_CURRENCY)) continue;
    const ownList = totalOrNull(cell.own.map((charge) => charge.list)) ?? cell.ownAmount;
    share = share.plus(cell.billed.minus(list)).minus(cell.ownAmount.minus(ownList));
    bound = bound.plus(cell.bound);
    [listed, charged] = [listed.plus(list), charged.plus(cell.billed)];
    listedCells.push({ cell, list, ownList });
  }
  // Apart from rounding, the bill and the books have the same discount, so net amounts are compared.
  if (isWithin(share, bound)) return;
  for (const { cell, list, ownList } of listedCells) [cell.billed, cell.ownBasis] = [list, ownList];
  const percent = listed.isZero() ? NO_QUANTITY : ONE.minus(charged.div(listed)).times(HUNDRED);
  take(group, {
    cause: 'DISCOUNT',
    amount: share,
    detail: percent.isZero()
      ? 'the bill shows list prices although the books have a discount'
      : `${plain(percent.toSignificantDigits(4))}% off, as the bill states`,
    percent: toLedger(percent),
  });
}

function totalOrNull(amounts: readonly (Money | null)[]): Money | null {
  return amounts.some((amount) => amount === null) ? null : sum(amounts.map((amount) => amount!));
}

/** Net ÷ list is the same for all lines of a day. */
export function explainImpliedDiscount(groups: readonly Group[], prices: KnownPrices): void {
  const open = groups.filter(({ remaining, isDone }) => remaining !== null && !isDone);
  const cells = open.flatMap((group) => group.cells.map((cell) => ({ group, cell })));
  const compared = cells.filter(({ cell }) => ratioOf(cell) !== null);
  const found = spreadOf(compared.map(({ cell }) => ratioOf(cell)!));
  if (found === null || compared.length < 2 || found.spread.gt(SPREAD_MAX)) return;
  if (found.median.gte(ONE.minus(SPREAD_MAX))) return;
  // A batch price also halves all amounts, which the bill or the rate card then shows.
  if (compared.every(({ group, cell }) => hasOtherContext(group, cell, prices))) return;
  const factor = found.median.toSignificantDigits(4);
  const percent = ONE.minus(factor).times(HUNDRED);
  for (const group of open) {
    let share = ZERO;
    for (const cell of group.cells) {
      if (ratioOf(cell) === null) continue;
      const list = toLedger(cell.billed.div(factor));
      share = share.plus(cell.billed.minus(list));
      cell.bound = cell.bound.div(factor);
      cell.billed = list;
    }
    take(group, {
      cause: 'DISCOUNT',
      amount: share,
      detail: `${plain(percent)}% off everything`,
      percent,
    });
  }
}

function hasOtherContext(group: Group, cell: Cell, prices: KnownPrices): boolean {
  const billed = new Set(cell.lines.map(({ meaning }) => meaning?.context ?? ''));
  const own = new Set(cell.own.map(({ context }) => context));
  if ([...billed].some((context) => context !== '' && !own.has(context))) return true;
  const price = billedPrice(cell);
  const booked = ownPrice(cell);
  if (price === null || booked === null || cell.tokenClass === null || cell.billedQuantity === null) return false;
  return prices
    .of(group, cell.tokenClass)
    .some(
      ({ perToken, context }) =>
        !own.has(context) && isWithin(perToken.times(cell.billedQuantity!).minus(cell.billed), cell.bound),
    );
}
