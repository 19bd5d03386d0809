/** Compares the days of a bill with the books, in eleven steps. The same input always gives the same result. */
import { type Money, quantity, type Quantity, sum, ZERO } from '#kernel/money.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import type { BillDay, BillDayState, BillDifference, BillVerdict, CauseShare } from './bill-comparison.ts';
import { billedOf, type Group, ownAmountOf, quantityDifference, sumOfLines } from './compared-group.ts';
import { explainClosedMonths } from './explain-closed-months.ts';
import { explainCurrency } from './explain-currency.ts';
import { explainCredits, explainImpliedDiscount, explainStatedDiscount } from './explain-discount.ts';
import { explainDayShifts } from './explain-day-shift.ts';
import { explainQuantity } from './explain-quantity.ts';
import { explainRates, explainRounding } from './explain-rate.ts';
import { explainSettling, explainUntracked, explainUntrackedScopes } from './explain-choice.ts';
import { explainSilentScopes } from './explain-silent-scopes.ts';
import { groupLines, isUsage, modelKeys, type Period } from './group-lines.ts';
import { knownPrices } from './known-prices.ts';
import type { KnownPrice, OwnCharge } from './own-charge.ts';

export interface BillToCompare {
  readonly lines: readonly BillLine[];
  /** Charges of the bill's providers on its days. */
  readonly own: readonly OwnCharge[];
  readonly prices: readonly KnownPrice[];
  /** Scopes marked as not tracked. */
  readonly untracked: ReadonlySet<string>;
  /** Periods (`spanOf`) that the provider may still change, and why. All others are settled. */
  readonly unsettled: ReadonlyMap<string, { readonly state: BillDayState; readonly reason: string }>;
}

const HUNDRED = quantity(100);

/** Key of a period in {@link BillToCompare.unsettled}: a bill can state a day and a longer period that ends on it. */
export function spanOf({ day, lastDay }: { readonly day: string; readonly lastDay: string }): string {
  return `${day}/${lastDay}`;
}

/** Yields at points where the comparison may pause. */
export function* compareBill(bill: BillToCompare): Generator<void, BillDay[]> {
  const keyOf = modelKeys([
    ...bill.lines.flatMap(({ meaning }) => meaning?.model ?? []),
    ...bill.own.map(({ model }) => model),
  ]);
  yield;
  const prices = knownPrices(bill.prices, keyOf);
  const periods = periodsOf(bill);
  const isUntracked = ({ scopes }: BillLine) => scopes.some((scope) => bill.untracked.has(scope));
  const compared: { period: Period; groups: Group[]; untracked: BillLine[] }[] = [];
  for (const period of periods) {
    yield;
    const untracked = period.lines.filter(isUntracked);
    yield;
    const groups = yield* groupLines({ ...period, lines: period.lines.filter((line) => !isUntracked(line)) }, keyOf);
    if (untracked.length > 0) groups.push(yield* untrackedGroup(period, untracked));
    compared.push({ period, groups, untracked });
  }
  for (const { period, groups, untracked } of compared) {
    yield;
    const unsettled = bill.unsettled.get(spanOf(period));
    if (unsettled !== undefined) for (const group of groups) explainSettling(group, unsettled.reason);
    const open = groups.filter(({ isDone }) => !isDone);
    for (const group of open) {
      yield;
      if (group.key === UNTRACKED) explainUntrackedScopes(group, untracked, bill.untracked);
      else explainUntracked(group, group.lines);
    }
    for (const group of open) explainClosedMonths(group);
    yield;
    explainCurrency(open);
    for (const group of open) {
      yield;
      explainCredits(group);
      yield;
      explainStatedDiscount(group);
    }
    yield;
    explainImpliedDiscount(open, prices);
  }
  explainDayShifts(compared.flatMap(({ groups }) => groups));
  for (const { groups } of compared) {
    yield* explainSilentScopes(groups);
    for (const group of groups) {
      yield;
      explainRates(group, explainQuantity(group), prices);
      explainRounding(group);
    }
  }
  const days: BillDay[] = [];
  for (const { period, groups } of compared) days.push(yield* dayOf(period, groups, bill));
  return days;
}

/** Key of the group with the lines of untracked scopes. */
const UNTRACKED = 'untracked';

function* untrackedGroup({ day, lastDay }: Period, lines: readonly BillLine[]): Generator<void, Group> {
  const billed = yield* sumOfLines(lines, billedOf, ZERO);
  return {
    day,
    lastDay,
    key: UNTRACKED,
    model: null,
    unit: null,
    lines,
    billed,
    own: [],
    cells: [],
    remaining: billed,
    causes: [],
    isDone: false,
  };
}

/** Days, and longer periods for lines that are not stated by day. */
function periodsOf({ lines, own }: BillToCompare): Period[] {
  const spans = Map.groupBy(lines, spanOf);
  return [...spans.keys()].sort().map((span) => {
    const [day, lastDay] = span.split('/') as [string, string];
    return {
      day,
      lastDay,
      lines: spans.get(span)!,
      own: own.filter((charge) => charge.day >= day && charge.day <= lastDay),
    };
  });
}

function* dayOf(
  { day, lastDay, lines, own }: Period,
  groups: readonly Group[],
  bill: BillToCompare,
): Generator<void, BillDay> {
  const differences = groups.filter(isOfInterest).map(differenceOf);
  const billed = sum(groups.map((group) => group.billed));
  const ownAmount = ownAmountOf(own);
  const isKnown = differences.every(({ difference }) => difference !== null);
  return {
    day,
    lastDay,
    state: bill.unsettled.get(spanOf({ day, lastDay }))?.state ?? 'SETTLED',
    coverage: yield* coverageOf(lines),
    currencies: [...new Set(lines.map(({ currency }) => currency))].sort(),
    billed,
    own: ownAmount,
    difference: isKnown ? sum(differences.map(({ difference }) => difference!)) : null,
    unexplained: isKnown ? sum(differences.map(({ unexplained }) => unexplained!)) : null,
    quantityVerdict: worst(differences.map(({ quantityVerdict }) => quantityVerdict)),
    amountVerdict: worst(differences.map(({ amountVerdict }) => amountVerdict)),
    differences,
  };
}

function isOfInterest({ lines, own }: Group): boolean {
  return lines.length > 0 || own.length > 0;
}

function differenceOf(group: Group): BillDifference {
  const own = ownAmountOf(group.own);
  const quantities = group.cells.map(({ billedQuantity }) => billedQuantity);
  return {
    lastDay: group.lastDay,
    model: group.model,
    unit: group.unit,
    unknownCurrency: group.unknownCurrency ?? null,
    billedQuantity: quantities.some((quantity) => quantity === null)
      ? null
      : sum(quantities.map((quantity) => quantity!)),
    ownQuantity: sum(group.cells.map(({ ownQuantity }) => ownQuantity)),
    billed: group.billed,
    own,
    difference: group.remaining === null || own === null ? null : group.billed.minus(own),
    causes: group.causes,
    unexplained: group.remaining,
    quantityVerdict: quantityVerdictOf(group),
    amountVerdict: verdictOfAmount(group.remaining, group.causes),
    unreadNames: unreadNamesOf(group),
  };
}

const UNREAD_NAMES_MAX = 10;

function unreadNamesOf({ lines }: Group): string[] {
  const amounts = new Map<string, Money>();
  for (const line of lines)
    if (isUsage(line) && line.part === 'cost' && line.meaning?.verified !== true)
      amounts.set(line.label, (amounts.get(line.label) ?? ZERO).plus(billedOf(line).abs()));
  return [...amounts]
    .toSorted(([one, a], [other, b]) => b.comparedTo(a) || (one < other ? -1 : 1))
    .slice(0, UNREAD_NAMES_MAX)
    .map(([name]) => name);
}

function quantityVerdictOf(group: Group): BillVerdict {
  const differences = group.cells.map(quantityDifference);
  if (differences.some((difference) => difference === null)) return 'UNKNOWN';
  if (differences.every((difference) => difference!.isZero())) return 'AGREES';
  return group.remaining?.isZero() === true ? 'EXPLAINED' : 'DIFFERS';
}

/** Rounding and booked adjustments leave nothing to explain. */
export function verdictOfAmount(unexplained: Money | null, causes: readonly Pick<CauseShare, 'cause'>[]): BillVerdict {
  if (unexplained === null) return 'UNKNOWN';
  if (!unexplained.isZero()) return 'DIFFERS';
  return causes.every(({ cause }) => cause === 'ROUNDING' || cause === 'ADJUSTMENT') ? 'AGREES' : 'EXPLAINED';
}

const SEVERITY: readonly BillVerdict[] = ['AGREES', 'EXPLAINED', 'UNKNOWN', 'DIFFERS'];

/** The most severe verdict. */
export function worst(verdicts: readonly BillVerdict[]): BillVerdict {
  return SEVERITY[Math.max(0, ...verdicts.map((verdict) => SEVERITY.indexOf(verdict)))]!;
}

/** Percentage of the billed usage that verified rules read. */
function* coverageOf(lines: readonly BillLine[]): Generator<void, Quantity> {
  const usage = lines.filter((line) => isUsage(line) && line.part === 'cost');
  const total = yield* sumOfLines(usage, (line) => billedOf(line).abs(), ZERO);
  if (total.isZero()) return HUNDRED;
  const verified = usage.filter(({ meaning }) => meaning?.verified === true);
  const read = yield* sumOfLines(verified, (line) => billedOf(line).abs(), ZERO);
  return read.div(total).times(HUNDRED).toDecimalPlaces(2);
}

/** The half-open range of days that the lines cover; null without lines. */
export function daysToRead(lines: readonly BillLine[]): { readonly from: string; readonly until: string } | null {
  const days = lines.flatMap(({ day, lastDay }) => [day, lastDay]).sort();
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined ? null : { from: first, until: addDays(last, 1) };
}
