/** Change of costs by volume, mix and rate (decision 48): reads it, and converts it to figures and to words. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type DetectedFigure, exact } from '../detection/verdict.ts';
import type { CostFilter } from './cost-figures.step.ts';
import { isRefusal, type ReadGraph } from './graph-reader.step.ts';
import { count, usd } from './words.ts';

const WEEK_MS = 7 * DAY_MS;

const COST_CHANGE = graphql(`query AlertCostChange(
  $start: Instant!, $end: Instant!, $previousStart: Instant!, $previousEnd: Instant!, $filter: CostFilter
) {
  window(start: $start, end: $end) {
    costChange(against: { start: $previousStart, end: $previousEnd }, filter: $filter, first: 1) {
      total { cost previousCost difference volume mix rate eventCount previousEventCount }
    }
  }
}`);

export type ChangeParts = DataOf<'AlertCostChange'>['window']['costChange']['total'];

/**
 * Compared with the same span a week earlier. Null if the comparison needs too much to be added up, in which case the
 * costs themselves are still known.
 */
export async function readChangeOfWeek(
  read: ReadGraph,
  { start, end }: { readonly start: string; readonly end: string },
  filter: CostFilter | null,
): Promise<ChangeParts | null> {
  const weekBefore = (instant: string) => new Date(Date.parse(instant) - WEEK_MS).toISOString();
  const previous = { previousStart: weekBefore(start), previousEnd: weekBefore(end) };
  try {
    return (await read(COST_CHANGE, { start, end, ...previous, filter })).window.costChange.total;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

export function changeFigures(parts: ChangeParts): DetectedFigure[] {
  const { cost, previousCost, difference, volume, mix, rate, eventCount, previousEventCount } = parts;
  return [
    ...Object.entries({ cost, previous_cost: previousCost, difference, volume, mix, rate }).map(([name, value]) =>
      exact(name, value, 'usd'),
    ),
    exact('events', String(eventCount), 'count'),
    exact('previous_events', String(previousEventCount), 'count'),
  ];
}

/** For example `+$3.00 from more events (120, previously 100), -$1.00 from a cheaper mix of models, +$2.00 from a higher cost per event`. */
export function changeWords(
  { volume, mix, rate, eventCount, previousEventCount }: ChangeParts,
  others: string,
): string {
  const parts = [
    {
      part: volume,
      from: `${isLess(volume) ? 'fewer' : 'more'} events (${count(eventCount)}, previously ${count(previousEventCount)})`,
    },
    { part: mix, from: `a ${isLess(mix) ? 'cheaper' : 'more expensive'} mix of ${others}` },
    { part: rate, from: `a ${isLess(rate) ? 'lower' : 'higher'} cost per event` },
  ];
  return parts
    .filter(({ part }) => part !== '0')
    .map(({ part, from }) => `${isLess(part) ? '' : '+'}${usd(part)} from ${from}`)
    .join(', ');
}

function isLess(amount: string): boolean {
  return amount.startsWith('-');
}

/** For example `$5.00 more`, `$5.00 less`. */
export function moreOrLess(difference: string): string {
  return isLess(difference) ? `${usd(difference.slice(1))} less` : `${usd(difference)} more`;
}
