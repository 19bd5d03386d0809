/** What `/costs` asks for: each panel in a document of its own, so that one can fail alone. */
import { DAY_MS } from '../../../kernel/time/duration.ts';
import type { GatewayClient } from '../../../platform/gateway-client.ts';
import { askGateway } from '../../../platform/ask-gateway.ts';
import type { Principal } from '../../../platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '../../../schema/graphql.ts';
import { type CostView, type Grain, toCostFilter, toGrouping } from '../../figures/cost-address.ts';
import { comparedWindow } from '../../figures/window-choice.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import { LAYERS } from '../../figures/area-chart.ts';

const GROUPS =
  graphql(`query CostGroups($start: Instant!, $end: Instant!, $filter: CostFilter, $keys: [CostKey!]!, $dimensions: [String!]!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: $keys, groupByDimensions: $dimensions, first: $first, after: $after) {
      nodes { values { key value endUser { id } } totalCost eventCount percentOfTotal }
      pageInfo { hasNextPage endCursor }
      totalCount totalCost eventCount
    }
    warnings { message }
  }
}`);
const TREND =
  graphql(`query CostLayers($start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $byDimension: String, $granularity: Granularity!, $series: Int!) {
  window(start: $start, end: $end) {
    costTrend(filter: $filter, by: $by, byDimension: $byDimension, granularity: $granularity, series: $series) {
      series { isRest value { key value endUser { id } } points { start cost } }
    }
  }
}`);
const HOURS = graphql(`query CostHours($start: Instant!, $end: Instant!, $filter: CostFilter) {
  window(start: $start, end: $end) { costTrend(filter: $filter, granularity: HOUR) { series { points { start cost } } } }
}`);
const DIMENSIONS = graphql('query CostDimensions { dimensions { key label } }');
const CUSTOMER = graphql('query FilteredCustomer($id: ID!) { endUser(id: $id) { externalId } }');

export type CostGroups = DataOf<'CostGroups'>['window']['costs'];
export type CostGroup = CostGroups['nodes'][number];
type CostSeries = DataOf<'CostLayers'>['window']['costTrend']['series'];
type HourPoint = DataOf<'CostHours'>['window']['costTrend']['series'][number]['points'][number];
export type Dimensions = DataOf<'CostDimensions'>['dimensions'];

/** Of the window that a view is compared with. */
export interface CostsBefore {
  readonly nodes: readonly CostGroup[];
  readonly totalCost: string;
  /** Whether `nodes` are all of them. */
  readonly isWhole: boolean;
}

export interface CostFigures {
  readonly groups: Outcome<DataOf<'CostGroups'>['window']>;
  /** `null` where the view is compared with nothing. */
  readonly before: Outcome<CostsBefore> | null;
  readonly series: Outcome<CostSeries>;
  /** `null` where the window has more hours than a line may. */
  readonly hours: Outcome<readonly HourPoint[]> | null;
  readonly dimensions: Dimensions;
  /** External id of the customer that is filtered; null where none is. */
  readonly customer: string | null;
}

const PAGE = 1_000;
/** Of groups that are looked up for a comparison. */
const COMPARED_PAGES_MAX = 12;
const HOURS_MAX = 41 * 24;

/** Every known error stays with its panel. */
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
  const [groups, before, series, hours, known, named] = await Promise.all([
    outcomeOf(
      askGateway(gateway, GROUPS, { start, end, filter, keys, dimensions, first: view.top, after: null }, principal),
      NOWHERE_ELSE,
    ),
    view.compare && outcomeOf(groupsBefore(gateway, principal, { view, now }), NOWHERE_ELSE),
    outcomeOf(
      askGateway(
        gateway,
        TREND,
        { start, end, filter, ...by, granularity: grain.toUpperCase() as Uppercase<Grain>, series: LAYERS },
        principal,
      ),
      NOWHERE_ELSE,
    ),
    hasHours ? outcomeOf(askGateway(gateway, HOURS, { start, end, filter }, principal), NOWHERE_ELSE) : null,
    askGateway(gateway, DIMENSIONS, {}, principal),
    customer === undefined || customer === 'none'
      ? null
      : outcomeOf(askGateway(gateway, CUSTOMER, { id: customer }, principal), NOWHERE_ELSE),
  ]);
  return {
    groups: then(groups, (data) => data.window),
    before,
    series: then(series, (data) => data.window.costTrend.series),
    hours: hours && then(hours, (data) => data.window.costTrend.series[0]?.points ?? []),
    dimensions: known.dimensions,
    customer: customer === 'none' ? 'without a customer' : (named?.value?.endUser.externalId ?? customer ?? null),
  };
}

/** All groups of a view, a page at a time. */
export async function* pagesOfGroups(
  gateway: GatewayClient,
  principal: Principal,
  view: Pick<CostView, 'groups' | 'filters'>,
  { start, end }: { readonly start: string; readonly end: string },
): AsyncGenerator<CostGroups> {
  const { keys, dimensions } = toGrouping(view.groups);
  const filter = toCostFilter(view.filters);
  for (let after: string | null = null, isLast = false; !isLast;) {
    const variables: VariablesOf<'CostGroups'> = { start, end, filter, keys, dimensions, first: PAGE, after };
    const { window }: DataOf<'CostGroups'> = await askGateway(gateway, GROUPS, variables, principal);
    const { costs } = window;
    yield costs;
    after = costs.pageInfo.endCursor;
    isLast = !costs.pageInfo.hasNextPage;
  }
}

/** Those of the window that the view is compared with; all of them, as far as anyone compares. */
async function groupsBefore(
  gateway: GatewayClient,
  principal: Principal,
  { view, now }: { readonly view: CostView; readonly now: Date },
): Promise<CostsBefore> {
  const window = comparedWindow(view.window, view.compare ?? 'previous', now);
  const nodes: CostGroup[] = [];
  let [total, pages, isWhole] = ['0', 0, false];
  for await (const page of pagesOfGroups(gateway, principal, view, window)) {
    nodes.push(...page.nodes);
    total = page.totalCost;
    isWhole = !page.pageInfo.hasNextPage;
    if (++pages === COMPARED_PAGES_MAX) break;
  }
  return { nodes, totalCost: total, isWhole };
}

function then<Value, Next>(outcome: Outcome<Value>, next: (value: Value) => Next): Outcome<Next> {
  return outcome.error === null ? { value: next(outcome.value), error: null } : outcome;
}
