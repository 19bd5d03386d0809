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

/** For example `$3.00 more by volume (120 events, 100 before), $1.00 less by mix (other models), $2.00 more by rate (the cost of an event)`. */
export function changeWords(
  { volume, mix, rate, eventCount, previousEventCount }: ChangeParts,
  others: string,
): string {
  const parts = [
    { part: volume, by: `by volume (${count(eventCount)} events, ${count(previousEventCount)} before)` },
    { part: mix, by: `by mix (other ${others})` },
    { part: rate, by: 'by rate (the cost of an event)' },
  ];
  const said = parts.filter(({ part }) => part !== '0').map(({ part, by }) => `${moreOrLess(part)} ${by}`);
  return said.join(', ');
}

/** For example `$5.00 more`, `$5.00 less`. */
export function moreOrLess(difference: string): string {
  return difference.startsWith('-') ? `${usd(difference.slice(1))} less` : `${usd(difference)} more`;
}
