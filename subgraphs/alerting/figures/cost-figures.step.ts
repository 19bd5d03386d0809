/** Costs of windows and their series, with a rule's filter and grouping. */
import { approximate } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { GROUPS_MAX } from '../config.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import type { SeriesDay } from '../detection/daily-series.ts';
import type { ActiveHour } from '../detection/silence.ts';
import type { ReadGraph } from './graph-reader.step.ts';

export const WINDOW_COSTS = graphql(`query AlertWindowCosts(
  $start: Instant!, $end: Instant!, $filter: CostFilter, $groupBy: [CostKey!]!, $dimensions: [String!]!, $first: Int!,
  $tokens: Boolean!
) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: $groupBy, groupByDimensions: $dimensions, first: $first) {
      totalCost eventCount
      nodes {
        values { value } totalCost eventCount
        tokens @include(if: $tokens) { input output cacheCreation cacheRead reasoning }
      }
    }
  }
}`);
export const DAILY_COSTS = graphql(`query AlertDailyCosts(
  $start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $dimension: String, $series: Int!
) {
  window(start: $start, end: $end) {
    costTrend(granularity: DAY, filter: $filter, by: $by, byDimension: $dimension, series: $series) {
      series { isRest value { value } points { start cost eventCount } }
    }
  }
}`);
export const HOURLY_COSTS = graphql(`query AlertHourlyCosts(
  $start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $dimension: String, $series: Int!
) {
  window(start: $start, end: $end) {
    costTrend(granularity: HOUR, filter: $filter, by: $by, byDimension: $dimension, series: $series) {
      series { isRest value { value } points { start cost eventCount } }
    }
  }
}`);
const ANY_EVENT = graphql(`query AlertAnyEvent($start: Instant!, $end: Instant!, $filter: EventFilter) {
  window(start: $start, end: $end) { events(filter: $filter, first: 1) { nodes { eventId } } }
}`);
const FORECAST = graphql(`query AlertForecast($filter: CostFilter) {
  costForecast(filter: $filter) { start end booked range { low expected high } }
}`);

export type CostFilter = NonNullable<VariablesOf<'AlertWindowCosts'>['filter']>;
type CostKey = VariablesOf<'AlertDailyCosts'>['by'];

/** The selected costs: at most one of `by` and `dimension` is set. */
export interface CostSelection {
  readonly filter: CostFilter | null;
  readonly by: CostKey | null;
  readonly dimension: string | null;
}

/** `value` is null for a rule without groups. */
export interface GroupCosts {
  readonly value: string | null;
  readonly cost: string;
  readonly events: number;
  /** Tokens of all classes; null if they were not read. */
  readonly tokens: number | null;
}

/** Costs of one window: in total, or for the costliest `first` groups. */
export async function readWindowCosts(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
  selection: CostSelection,
  { first, withTokens }: { readonly first: number; readonly withTokens: boolean },
): Promise<GroupCosts[]> {
  const variables = windowVariables(window, selection, first, withTokens);
  const { costs } = (await read(WINDOW_COSTS, variables)).window;
  if (isGrouped(selection) || (withTokens && costs.nodes.length > 0))
    return costs.nodes.map(({ values, totalCost, eventCount, tokens }) => ({
      value: isGrouped(selection) ? (values[0]?.value ?? '') : null,
      cost: totalCost,
      events: eventCount,
      tokens: tokens ? sumOf(tokens) : null,
    }));
  return [{ value: null, cost: costs.totalCost, events: costs.eventCount, tokens: withTokens ? 0 : null }];
}

/** Variables of the documents that read costs in a window; evidence links use them too. */
export function windowVariables(
  { start, end }: { readonly start: string; readonly end: string },
  { filter, by, dimension }: CostSelection,
  first: number,
  tokens: boolean,
): VariablesOf<'AlertWindowCosts'> {
  return {
    start,
    end,
    filter,
    groupBy: by ? [by] : [],
    dimensions: dimension === null ? [] : [dimension],
    first,
    tokens,
  };
}

function isGrouped({ by, dimension }: CostSelection): boolean {
  return (by ?? null) !== null || dimension !== null;
}

/** Classes that no event reported count as zero. */
function sumOf(tokens: Readonly<Record<string, number | null>>): number {
  return Object.values(tokens).reduce<number>((total, count) => total + (count ?? 0), 0);
}

export interface CostSeries<Point> {
  readonly value: string | null;
  readonly points: readonly Point[];
}

/** Daily costs without gaps; if grouped, for the costliest `series` groups. */
export async function readDailyCosts(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
  selection: CostSelection,
  series: number,
): Promise<CostSeries<SeriesDay>[]> {
  const { costTrend } = (await read(DAILY_COSTS, seriesVariables(window, selection, series))).window;
  return ownSeries(costTrend).map(({ value, points }) => ({
    value: value?.value ?? null,
    points: points.map(({ start, cost, eventCount }) => ({
      day: start.slice(0, 10),
      cost,
      events: eventCount,
      tokens: null,
    })),
  }));
}

/**
 * Costs, events and tokens per day and group. Trends do not contain tokens, so each day is read separately. A group
 * that is missing on a day has no cost on it.
 */
export async function readDailyTokens(
  read: ReadGraph,
  { start, end }: { readonly start: string; readonly end: string },
  selection: CostSelection,
  series: number,
): Promise<CostSeries<SeriesDay>[]> {
  const values = new Map<string | null, SeriesDay[]>();
  const days: string[] = [];
  for (let at = Date.parse(start); at < Date.parse(end); at += DAY_MS) days.push(new Date(at).toISOString());
  const last = days.at(-1) ?? end;
  for (const day of days.toReversed()) {
    const window = { start: day, end: new Date(Date.parse(day) + DAY_MS).toISOString() };
    const first = day === last ? series : GROUPS_MAX;
    const groups = await readWindowCosts(read, window, selection, { first, withTokens: true });
    // The costliest groups of the last day are judged.
    if (day === last) for (const { value } of groups) values.set(value, []);
    for (const [value, points] of values) {
      const own = groups.find((group) => group.value === value);
      points.push({
        day: day.slice(0, 10),
        cost: own?.cost ?? '0',
        events: own?.events ?? 0,
        tokens: own?.tokens ?? 0,
      });
    }
  }
  return [...values].map(([value, points]) => ({ value, points: points.toReversed() }));
}

/** Hours with priced events. */
export async function readHourlyEvents(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
  selection: CostSelection,
  series: number,
): Promise<CostSeries<ActiveHour>[]> {
  const { costTrend } = (await read(HOURLY_COSTS, seriesVariables(window, selection, series))).window;
  return ownSeries(costTrend).map(({ value, points }) => ({
    value: value?.value ?? null,
    points: points.map(({ start, eventCount }) => ({ hour: start, events: eventCount })),
  }));
}

/** True if the window contains an event, priced or not. */
export async function hasEvents(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
  { endUser, agent, model, provider, dimensions }: CostFilter,
): Promise<boolean> {
  const filter = { endUser, agent, model, provider, dimensions };
  return (await read(ANY_EVENT, { ...window, filter })).window.events.nodes.length > 0;
}

/** USD of each hour, without gaps. Doubles, for estimates. */
export async function readHourlyCosts(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
  selection: CostSelection,
): Promise<number[]> {
  const variables = seriesVariables(window, { ...selection, by: null, dimension: null }, 1);
  const { costTrend } = (await read(HOURLY_COSTS, variables)).window;
  return ownSeries(costTrend).flatMap(({ points }) => points.map(({ cost }) => approximate(cost)));
}

/** Variables of the documents that read a trend; evidence links use them too. */
export function seriesVariables(
  { start, end }: { readonly start: string; readonly end: string },
  { filter, by, dimension }: CostSelection,
  series: number,
): VariablesOf<'AlertDailyCosts'> {
  return { start, end, filter, by, dimension, series };
}

/** Leaves out the series for the rest, which is not a group. */
function ownSeries<Trend extends DataOf<'AlertDailyCosts'>['window']['costTrend']>(trend: Trend): Trend['series'] {
  return trend.series.filter(({ isRest }) => !isRest);
}

/** Forecast cost of the current month in USD; null if the history is too short. */
export async function readForecast(
  read: ReadGraph,
  filter: CostFilter | null,
): Promise<{ readonly start: string; readonly expected: string | null }> {
  const { costForecast } = await read(FORECAST, { filter });
  return { start: costForecast.start, expected: costForecast.range?.expected ?? null };
}
