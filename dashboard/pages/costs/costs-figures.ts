/** Requests of `/costs`: one document per panel, so that each can fail by itself. */
import { DAY_MS } from '#kernel/time/duration.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { type CostView, type Grain, showsCachedInput, showsTokens } from '../../figures/cost-address.ts';
import { conditionOf, toCostFilter, toGrouping } from '../../figures/cost-keys.ts';
import type { ChartMark } from '../../figures/chart-marks.ts';
import { type Correction, correctionMarks, getCorrections } from '../../figures/corrections.ts';
import { getFilterValues } from '../../figures/filter-values.ts';
import { getChartMarks } from '../../figures/mark-figures.ts';
import { comparedWindow } from '../../figures/window-choice.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { LAYERS } from '../../figures/area-chart.ts';

const GROUPS =
  graphql(`query CostGroups($start: Instant!, $end: Instant!, $filter: CostFilter, $keys: [CostKey!]!, $dimensions: [String!]!, $first: Int!, $after: String, $tokens: Boolean!, $cached: Boolean!) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: $keys, groupByDimensions: $dimensions, first: $first, after: $after) {
      nodes { values { key value endUser { endUserId name } } totalCost eventCount percentOfTotal tokens @include(if: $tokens) { input output cacheRead } cachedInput @include(if: $cached) { percent } }
      pageInfo { hasNextPage endCursor }
      totalCount totalCost eventCount cachedInput @include(if: $cached) { percent }
    }
    warnings { type message }
  }
}`);
const TREND =
  graphql(`query CostLayers($start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $byDimension: String, $granularity: Granularity!, $series: Int!) {
  window(start: $start, end: $end) {
    costTrend(filter: $filter, by: $by, byDimension: $byDimension, granularity: $granularity, series: $series) {
      series { isRest value { key value endUser { endUserId name } } points { start cost } }
    }
  }
}`);
const BEFORE =
  graphql(`query CostsBefore($start: Instant!, $end: Instant!, $filter: CostFilter, $granularity: Granularity!) {
  window(start: $start, end: $end) { costTrend(filter: $filter, granularity: $granularity) { series { points { start cost } } } }
}`);
const HOURS = graphql(`query CostHours($start: Instant!, $end: Instant!, $filter: CostFilter) {
  window(start: $start, end: $end) { costTrend(filter: $filter, granularity: HOUR) { series { points { start cost } } } }
}`);
const DIMENSIONS = graphql('query CostDimensions { dimensions { key label } }');
const CUSTOMER = graphql('query FilteredCustomer($id: ID!) { endUser(endUserId: $id) { externalId name } }');

export type CostGroups = DataOf<'CostGroups'>['window']['costs'];
export type CostGroup = CostGroups['nodes'][number];
type CostSeries = DataOf<'CostLayers'>['window']['costTrend']['series'];
type HourPoint = DataOf<'CostHours'>['window']['costTrend']['series'][number]['points'][number];
export type Dimensions = DataOf<'CostDimensions'>['dimensions'];

/** Figures of the comparison window. */
export interface CostsBefore {
  readonly nodes: readonly CostGroup[];
  readonly totalCost: string;
  /** True if `nodes` contains all groups. */
  readonly isWhole: boolean;
}

export interface CostFigures {
  readonly groups: Outcome<DataOf<'CostGroups'>['window']>;
  /** `null` if the view has no comparison. */
  readonly before: Outcome<CostsBefore> | null;
  readonly series: Outcome<CostSeries>;
  /** `null` if the window has too many hours for one line. */
  readonly hours: Outcome<readonly HourPoint[]> | null;
  readonly marks: readonly ChartMark[];
  /** Suggestions for filters. */
  readonly values: readonly string[];
  /** Empty for filtered costs. */
  readonly corrections: readonly Correction[];
  /** Total of the compared period over time; empty without a comparison. */
  readonly seriesBefore: readonly { readonly cost: string }[];
  readonly dimensions: Dimensions;
  /** Name of the filtered customer; null without such a filter. */
  readonly customer: string | null;
}

const PAGE = 1_000;
/** Rows per request: many, because reading a page adds up all groups. */
const CSV_PAGE = 5_000;
/** Groups that a comparison looks up one by one. */
const LOOKED_UP_MAX = 20;
const HOURS_MAX = 41 * 24;

/** A panel shows its own error, whatever its code. */
const NOWHERE_ELSE: readonly string[] = [];

export async function getCostFigures(
  gateway: GatewayClient,
  principal: Principal,
  { view, grain, now }: { readonly view: CostView; readonly grain: Grain; readonly now: Date },
): Promise<CostFigures> {
  const { start, end } = view.window;
  const filter = toCostFilter(view.filters);
  const { keys, dimensions } = toGrouping(view.groups);
  const trendOf = toGrouping(view.groups.slice(0, 1));
  const by = { by: trendOf.keys[0] ?? null, byDimension: trendOf.dimensions[0] ?? null };
  const hasHours = (new Date(end).getTime() - new Date(start).getTime()) / DAY_MS <= HOURS_MAX / 24;
  const customer = view.filters.find(({ key }) => key === 'customer')?.value;
  const current = outcomeOf(
    askGateway(
      gateway,
      GROUPS,
      {
        start,
        end,
        filter,
        keys,
        dimensions,
        first: view.top,
        after: null,
        tokens: showsTokens(view),
        cached: showsCachedInput(view),
      },
      principal,
    ),
    NOWHERE_ELSE,
  );
  const granularity = grain.toUpperCase() as Uppercase<Grain>;
  const [groups, before, series, hours, known, named, marks, corrections, earlier, values] = await Promise.all([
    current,
    view.compare &&
      current.then(({ value }) => {
        const shown = value?.window.costs.nodes ?? [];
        return outcomeOf(groupsBefore(gateway, principal, { view, shown, now }), NOWHERE_ELSE);
      }),
    outcomeOf(
      askGateway(gateway, TREND, { start, end, filter, ...by, granularity, series: LAYERS }, principal),
      NOWHERE_ELSE,
    ),
    hasHours ? outcomeOf(askGateway(gateway, HOURS, { start, end, filter }, principal), NOWHERE_ELSE) : null,
    askGateway(gateway, DIMENSIONS, {}, principal),
    customer === undefined || customer === 'none'
      ? null
      : outcomeOf(askGateway(gateway, CUSTOMER, { id: customer }, principal), NOWHERE_ELSE),
    getChartMarks(gateway, principal, { start, end, filter }),
    view.filters.length > 0 ? [] : getCorrections(gateway, principal, { start, end }),
    view.compare &&
      outcomeOf(
        askGateway(gateway, BEFORE, { ...comparedDates(view, now), filter, granularity }, principal),
        NOWHERE_ELSE,
      ),
    getFilterValues(gateway, principal, { start, end }),
  ]);
  return {
    groups: then(groups, (data) => data.window),
    before,
    series: then(series, (data) => data.window.costTrend.series),
    hours: hours && then(hours, (data) => data.window.costTrend.series[0]?.points ?? []),
    marks: [...marks, ...correctionMarks(corrections)],
    corrections,
    values,
    seriesBefore: earlier?.value?.window.costTrend.series[0]?.points ?? [],
    dimensions: known.dimensions,
    customer: customer === 'none' ? 'without a customer' : (named?.value?.endUser.name ?? customer ?? null),
  };
}

/** All groups of a view, one page at a time. */
export async function* pagesOfGroups(
  gateway: GatewayClient,
  principal: Principal,
  view: Pick<CostView, 'groups' | 'filters' | 'tokens'>,
  { start, end }: { readonly start: string; readonly end: string },
): AsyncGenerator<CostGroups> {
  const { keys, dimensions } = toGrouping(view.groups);
  const filter = toCostFilter(view.filters);
  const tokens = showsTokens(view);
  for (let after: string | null = null, isLast = false; !isLast;) {
    const variables: VariablesOf<'CostGroups'> = {
      start,
      end,
      filter,
      keys,
      dimensions,
      first: CSV_PAGE,
      after,
      tokens,
      cached: tokens,
    };
    const { window }: DataOf<'CostGroups'> = await askGateway(gateway, GROUPS, variables, principal);
    const { costs } = window;
    yield costs;
    after = costs.pageInfo.endCursor;
    isLast = !costs.pageInfo.hasNextPage;
  }
}

function comparedDates(view: CostView, now: Date): { readonly start: string; readonly end: string } {
  const { start, end } = comparedWindow(view.window, view.compare ?? 'previous', now);
  return { start, end };
}

/** Groups of the comparison window: its costliest, and those of `shown` that are not among them. */
async function groupsBefore(
  gateway: GatewayClient,
  principal: Principal,
  { view, shown, now }: { readonly view: CostView; readonly shown: readonly CostGroup[]; readonly now: Date },
): Promise<CostsBefore> {
  const { start, end } = comparedWindow(view.window, view.compare ?? 'previous', now);
  const { keys, dimensions } = toGrouping(view.groups);
  const costsOf = async (filters: CostView['filters'], first: number): Promise<CostGroups> => {
    const variables = {
      start,
      end,
      filter: toCostFilter(filters),
      keys,
      dimensions,
      first,
      after: null,
      tokens: false,
      cached: false,
    };
    return (await askGateway(gateway, GROUPS, variables, principal)).window.costs;
  };
  const { nodes, totalCost, pageInfo } = await costsOf(view.filters, PAGE);
  if (!pageInfo.hasNextPage) return { nodes, totalCost, isWhole: true };
  const known = new Set(nodes.map(keyOfGroup));
  const missing = shown.filter((node) => !known.has(keyOfGroup(node))).slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(
    missing.map(async (node): Promise<CostGroup> => {
      const filters = conditionsOf(view, node);
      const { value, error } = await outcomeOf(costsOf(filters, 1), ['INTERNAL_SERVER_ERROR']);
      // A group that no event has named until the end of the comparison window cost nothing.
      if (error && error.code !== 'NOT_FOUND') throw error;
      return { ...node, totalCost: value?.totalCost ?? '0' };
    }),
  );
  return { nodes: [...nodes, ...found], totalCost, isWhole: false };
}

/** Filters of the view, plus the filters that a group represents. */
function conditionsOf({ groups, filters }: CostView, { values }: CostGroup): CostView['filters'] {
  const own = values.map(({ value, endUser }, place) =>
    conditionOf(groups[place] ?? '', { value, endUserId: endUser?.endUserId ?? null }),
  );
  return [...filters.filter(({ key }) => own.every((one) => one.key !== key)), ...own];
}

/** Unique key of a group within one view. */
export function keyOfGroup({ values }: Pick<CostGroup, 'values'>): string {
  return JSON.stringify(values.map(({ value, endUser }) => [value, endUser?.endUserId]));
}

function then<Value, Next>(outcome: Outcome<Value>, next: (value: Value) => Next): Outcome<Next> {
  return outcome.error === null ? { value: next(outcome.value), error: null } : outcome;
}
