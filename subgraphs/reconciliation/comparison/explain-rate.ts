/** Step 9: the price differs: another pricing context, another date of the same rate card, or a new price. */
import { type Money, plain, quantity, sum, ZERO } from '#kernel/money.ts';
import { MILLION } from '../lines/decimals.ts';
import { type Cell, type Group, isWithin, labelOf, perMillion, take } from './compared-group.ts';
import { appliesOn, type KnownPrices } from './known-prices.ts';
import type { KnownPrice } from './own-charge.ts';
import { spreadOf } from './spread.ts';

/** Prices are round numbers of dollars per million tokens. */
const PRICE_DIGITS_MAX = 4;
const SPREAD_MAX = quantity('0.0005');

/** `quantityShares`: the amount that the previous step explained in each cell. */
export function explainRates(group: Group, quantityShares: ReadonlyMap<Cell, Money>, prices: KnownPrices): void {
  if (group.remaining === null || group.isDone) return;
  const wrong = group.cells
    .map((cell) => ({
      cell,
      rest: cell.billed.minus(cell.ownBasis).minus(quantityShares.get(cell) ?? ZERO),
    }))
    .filter(({ cell, rest }) => !isWithin(rest, cell.bound) && hasPrice(cell));
  const isOneRatio =
    wrong.length > 1 && wrong.length === group.cells.length && isUniform(wrong.map(({ cell }) => cell));
  for (const { cell, rest } of wrong) {
    const share = nameOf(group, cell, prices, isOneRatio);
    if (share !== null)
      take(group, { ...share, amount: rest, ...(cell.tokenClass === null ? {} : { tokenClass: cell.tokenClass }) });
  }
}

function hasPrice(cell: Cell): boolean {
  return cell.billedQuantity !== null && !cell.billedQuantity.isZero() && !cell.ownQuantity.isZero();
}

function isUniform(cells: readonly Cell[]): boolean {
  const found = spreadOf(cells.map((cell) => billedUnit(cell).div(ownUnit(cell))));
  return found !== null && found.spread.lte(SPREAD_MAX);
}

function billedUnit(cell: Cell): Money {
  return cell.billed.div(cell.billedQuantity!);
}

function ownUnit(cell: Cell): Money {
  return cell.ownBasis.div(cell.ownQuantity);
}

type Named = Pick<Parameters<typeof take>[1], 'cause' | 'detail' | 'context' | 'price'>;

function nameOf(group: Group, cell: Cell, prices: KnownPrices, isOneRatio: boolean): Named | null {
  const billed = billedUnit(cell);
  const figures = `${perMillion(billed)} a million instead of ${perMillion(ownUnit(cell))}`;
  const name = labelOf(cell);
  const own = new Set(cell.own.map(({ context }) => context));
  const told = [
    ...new Set(cell.lines.filter(({ part }) => part === 'cost').map(({ meaning }) => meaning?.context ?? '')),
  ];
  const other = told.find((context) => context !== '' && !own.has(context));
  const price = billed.times(MILLION);
  if (other !== undefined)
    return { cause: 'CONTEXT', detail: `${name} was served with ${other}: ${figures}`, context: other, price };
  if (own.size > 1 || [...own].some((context) => context !== '')) {
    const standard = told.length === 1 && told[0] === '' && [...own].some((context) => context !== '');
    const first = [...own].find((context) => context !== '');
    if (standard && cell.lines.every(({ meaning }) => meaning?.rule !== 'openai.line-item.tokens' || meaning.verified))
      return {
        cause: 'CONTEXT',
        detail: `${name} was billed at the standard price, not with ${first}: ${figures}`,
        context: '',
        price,
      };
  }
  const known = cell.tokenClass === null ? [] : prices.of(group, cell.tokenClass);
  const same = known.filter(({ perToken }) =>
    isWithin(perToken.times(cell.billedQuantity!).minus(cell.billed), cell.bound),
  );
  const context = same.find((candidate) => appliesOn(candidate, group.day) && !own.has(candidate.context));
  if (context !== undefined)
    return {
      cause: 'CONTEXT',
      detail: `${name} was billed at the price of ${context.context === '' ? 'the standard context' : context.context}: ${figures}`,
      context: context.context,
      price,
    };
  const dated = same.find((candidate) => own.has(candidate.context) && !appliesOn(candidate, group.day));
  if (dated !== undefined) {
    const when = dated.until !== null && dated.until <= group.day ? `until ${dated.until}` : `from ${dated.from}`;
    return { cause: 'OTHER_PRICE', detail: `${name} was billed at the price that applies ${when}: ${figures}`, price };
  }
  return nameUnknown({ group, cell, known, own, isOneRatio, detail: `${name}: ${figures}` });
}

/** Names the cause if no price of the rate card matches. */
function nameUnknown(found: {
  readonly group: Group;
  readonly cell: Cell;
  readonly known: readonly KnownPrice[];
  readonly own: ReadonlySet<string>;
  readonly isOneRatio: boolean;
  readonly detail: string;
}): Named | null {
  const { group, cell, known, own, isOneRatio, detail } = found;
  const billed = billedUnit(cell);
  const price = billed.times(MILLION);
  if (isOneRatio || isRound(cell)) return { cause: 'NEW_PRICE', detail, price: roundPrice(cell) ?? price };
  const between = new Set(
    known
      .filter((candidate) => appliesOn(candidate, group.day) && !own.has(candidate.context))
      .filter(({ perToken }) => (perToken.lt(billed) ? ownUnit(cell).gt(billed) : ownUnit(cell).lt(billed)))
      .map(({ context }) => context),
  );
  const [context] = between;
  if (between.size === 1)
    return { cause: 'CONTEXT', detail: `${detail}; part of it was served with ${context}`, context: context!, price };
  return between.size > 1 ? null : { cause: 'NEW_PRICE', detail, price };
}

function isRound(cell: Cell): boolean {
  return roundPrice(cell) !== null;
}

/** The price of at most four significant digits that yields the billed amount; null if there is none. */
function roundPrice(cell: Cell): Money | null {
  const price = billedUnit(cell).times(MILLION).toSignificantDigits(PRICE_DIGITS_MAX);
  const amount = price.times(cell.billedQuantity!).div(MILLION);
  return isWithin(amount.minus(cell.billed), cell.bound) ? price : null;
}

/** Step 10: assigns the rest to rounding if it is at most half a unit of the source's last digit per line. */
export function explainRounding(group: Group): void {
  if (group.remaining === null || group.remaining.isZero()) return;
  const bound = sum(group.cells.map((cell) => cell.bound));
  if (!isWithin(group.remaining, bound)) return;
  take(group, {
    cause: 'ROUNDING',
    amount: group.remaining,
    detail: `the bill is rounded: at most ${plain(bound)} for these lines`,
  });
}
