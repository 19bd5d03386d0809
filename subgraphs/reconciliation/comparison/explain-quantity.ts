/** Step 8: events that are missing from the books or in them twice, and tokens in another class. */
import { type Money, plain, type Quantity, sum, toLedger } from '#kernel/money.ts';
import { groupedDigits } from '#kernel/usd-text.ts';
import { billedPrice, type Cell, type Group, labelOf, ownPrice, quantityDifference, take } from './compared-group.ts';

interface Moved {
  readonly cell: Cell;
  readonly quantity: Quantity;
  readonly amount: Money;
}

/** Returns the share of each cell, which the next step subtracts. */
export function explainQuantity(group: Group): ReadonlyMap<Cell, Money> {
  const shares = new Map<Cell, Money>();
  if (group.remaining === null || group.isDone || group.explainedScopes !== undefined) return shares;
  const moved = group.cells.flatMap((cell): Moved[] => {
    const quantity = quantityDifference(cell);
    const price = ownPrice(cell) ?? billedPrice(cell);
    if (quantity === null || quantity.isZero() || price === null) return [];
    return [{ cell, quantity, amount: toLedger(quantity.times(price)) }];
  });
  for (const { cell, amount } of moved) shares.set(cell, amount);
  const tokens = moved.filter(({ cell }) => cell.unit === 'tokens');
  if (tokens.length > 1 && sum(tokens.map(({ quantity }) => quantity)).isZero()) {
    take(group, { cause: 'TOKEN_CLASSES', amount: amountOf(tokens), detail: classesOf(tokens) });
    explainCounts(
      group,
      moved.filter(({ cell }) => cell.unit !== 'tokens'),
    );
  } else {
    explainCounts(group, moved);
  }
  return shares;
}

function amountOf(moved: readonly Moved[]): Money {
  return sum(moved.map(({ amount }) => amount));
}

function classesOf(moved: readonly Moved[]): string {
  const parts = moved.map(
    ({ cell, quantity }) =>
      `${quantity.isNegative() ? '−' : '+'}${groupedDigits(plain(quantity.abs()))} ${labelOf(cell)}`,
  );
  return `the total agrees, but the token classes do not: the bill has ${parts.join(', ')}`;
}

function explainCounts(group: Group, moved: readonly Moved[]): void {
  const missing = moved.filter(({ quantity }) => !quantity.isNegative());
  const extra = moved.filter(({ quantity }) => quantity.isNegative());
  if (missing.length > 0)
    take(group, { cause: 'MISSING_EVENTS', amount: amountOf(missing), detail: `the books lack ${counted(missing)}` });
  if (extra.length === 0) return;
  const isTwice = extra.length === group.cells.length && extra.every(({ cell }) => isDouble(cell));
  take(group, {
    cause: 'EXTRA_EVENTS',
    amount: amountOf(extra),
    detail: isTwice ? 'every event is in the books twice' : `the books have ${counted(extra)} more than the bill`,
  });
}

function isDouble(cell: Cell): boolean {
  return cell.billedQuantity !== null && cell.ownQuantity.eq(cell.billedQuantity.times(2));
}

function counted(moved: readonly Moved[]): string {
  return moved
    .map(
      ({ cell, quantity }) =>
        `${groupedDigits(plain(quantity.abs()))} ${labelOf(cell)}${cell.tokenClass === null ? '' : ' tokens'}`,
    )
    .join(', ');
}
