/** Reads a change of costs with its causes (decision 48), and converts it to figures and words. */
import { usdText } from '#kernel/usd-text.ts';
import { causeInWords, wordedParts } from '#kernel/cost-change-words.ts';
import { plain } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type DetectedFigure, exact } from '../detection/verdict.ts';
import type { CostFilter } from './cost-figures.step.ts';
import { isRefusal, type ReadGraph } from './graph-reader.step.ts';
import { count } from './words.ts';

const WEEK_MS = 7 * DAY_MS;

export const COST_CHANGE = graphql(`query AlertCostChange(
  $start: Instant!, $end: Instant!, $previousStart: Instant!, $previousEnd: Instant!, $filter: CostFilter
) {
  window(start: $start, end: $end) {
    costChange(against: { start: $previousStart, end: $previousEnd }, filter: $filter, first: 1) {
      start end percent
      total { cost previousCost difference eventCount previousEventCount }
      parts { calls mix size price corrections }
      mainCause { endUser { name } agent model start end cost }
    }
  }
}`);

export type ExplainedChange = DataOf<'AlertCostChange'>['window']['costChange'];

/**
 * Compared with the same span a week earlier. Null if the comparison would have to add up too much data; the costs
 * themselves are still known then.
 */
export async function readChangeOfWeek(
  read: ReadGraph,
  { start, end }: { readonly start: string; readonly end: string },
  filter: CostFilter | null,
): Promise<ExplainedChange | null> {
  const weekBefore = (instant: string) => new Date(Date.parse(instant) - WEEK_MS).toISOString();
  const previous = { previousStart: weekBefore(start), previousEnd: weekBefore(end) };
  try {
    return (await read(COST_CHANGE, { start, end, ...previous, filter })).window.costChange;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Figures for evidence: USD by cause, and the numbers of events. */
export function changeFigures({ total, parts, mainCause }: ExplainedChange): DetectedFigure[] {
  const { cost, previousCost, difference, eventCount, previousEventCount } = total;
  const { calls, mix, size, price, corrections } = parts;
  const named = {
    cost,
    previous_cost: previousCost,
    difference,
    more_calls: calls,
    other_models_or_agents: mix,
    larger_calls: size,
    price_changes: price,
    ...(corrections === '0' ? {} : { corrections_of_closed_months: corrections }),
    ...(mainCause === null ? {} : { main_cause: mainCause.cost }),
  };
  return [
    ...Object.entries(named).map(([name, value]) => exact(name, value, 'usd')),
    exact('events', String(eventCount), 'count'),
    exact('previous_events', String(previousEventCount), 'count'),
  ];
}

/** For example `+$3.00 from more calls, −$1.00 from other models or agents`. */
export function changeWords({ parts, total }: ExplainedChange): string {
  return wordedParts(parts)
    .map(({ exact: part, shown, from }) => {
      const counts =
        from.endsWith('calls') && /^(more|fewer)/.test(from)
          ? ` (${count(total.eventCount)}, previously ${count(total.previousEventCount)})`
          : '';
      return `${part < 0n ? '' : '+'}${usdText(plain(shown === 0n ? part : shown))} from ${from}${counts}`;
    })
    .join(', ');
}

/**
 * For example `Main cause: Meridian Bank's review-agent on 25 Nov, 13:00–15:00: $48.15 of $54.65.` Empty if there is no
 * main cause.
 */
export function causeSentence({ mainCause, total, start, end }: ExplainedChange): string {
  if (mainCause === null) return '';
  const { endUser, ...cause } = mainCause;
  const who = causeInWords({ ...cause, customer: endUser?.name ?? null }, { start, end });
  return `Main cause: ${who}: ${usdText(mainCause.cost)} of ${usdText(total.cost)}.`;
}

function isLess(amount: string): boolean {
  return amount.startsWith('-');
}

/** For example `$5.00 more`, `$5.00 less`. */
export function moreOrLess(difference: string): string {
  return isLess(difference) ? `${usdText(difference.slice(1))} less` : `${usdText(difference)} more`;
}
