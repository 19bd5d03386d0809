/** Finds the day since which an end user has cost more than it paid, and what changed on that day. */
import { amount, type Amount, plain } from '#kernel/money.ts';

export interface DayOfMargin {
  /** First instant of the day. */
  readonly start: string;
  readonly revenue: string;
  readonly cost: string;
}

/** Length of the trailing period of a margin, in days: revenue arrives monthly, so a single day is meaningless. */
export const TRAILING_DAYS = 30;

export interface Unprofitable {
  /** First instant of the day since which the trailing margin has been negative. */
  readonly since: string;
  /** True if this is the first day with any revenue or cost. */
  readonly isFromTheFirst: boolean;
  /**
   * First instant of the last day of the compared period: the day of `since`, or today if nothing earlier exists to
   * compare with.
   */
  readonly comparedTo: string;
  /** Revenue and cost of the days up to and including `comparedTo`, and of the same number of days before. */
  readonly then: Sums;
  readonly before: Sums;
}

interface Sums {
  readonly revenue: string;
  readonly cost: string;
}

/** `null` if the trailing margin of the last day is not negative. `days`: without gaps, oldest first. */
export function unprofitableSince(days: readonly DayOfMargin[]): Unprofitable | null {
  const begun = days.findIndex(({ revenue, cost }) => revenue !== '0' || cost !== '0');
  let since = -1;
  for (let day = days.length - 1; day >= begun && begun !== -1; day--) {
    const { revenue, cost } = sumsUpTo(days, day);
    if (revenue >= cost) break;
    since = day;
  }
  const isFromTheFirst = since === begun;
  const compared = isFromTheFirst ? days.length - 1 : since;
  const [first, last] = [days[since], days[compared]];
  if (first === undefined || last === undefined) return null;
  return {
    since: first.start,
    isFromTheFirst,
    comparedTo: last.start,
    then: print(sumsUpTo(days, compared)),
    before: print(sumsUpTo(days, compared - TRAILING_DAYS)),
  };
}

export interface Change {
  readonly name: string;
  readonly before: string;
  readonly then: string;
  readonly change: string;
}

/** The largest increases first. */
export function greatestRises(
  before: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
  max: number,
): Change[] {
  return [...new Set([...then.keys(), ...before.keys()])]
    .map((name) => {
      const [was, is] = [before.get(name) ?? '0', then.get(name) ?? '0'];
      return { name, before: was, then: is, change: amount(is) - amount(was) };
    })
    .filter(({ change }) => change > 0n)
    .sort((one, other) => (one.change === other.change ? 0 : one.change > other.change ? -1 : 1))
    .slice(0, max)
    .map((one) => ({ ...one, change: plain(one.change) }));
}

function sumsUpTo(days: readonly DayOfMargin[], last: number): { revenue: Amount; cost: Amount } {
  const window = days.slice(Math.max(last - TRAILING_DAYS + 1, 0), Math.max(last + 1, 0));
  return {
    revenue: window.reduce((sum, { revenue }) => sum + amount(revenue), 0n),
    cost: window.reduce((sum, { cost }) => sum + amount(cost), 0n),
  };
}

function print({ revenue, cost }: { revenue: Amount; cost: Amount }): Sums {
  return { revenue: plain(revenue), cost: plain(cost) };
}
