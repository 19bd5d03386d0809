/** Requests of a customer's page: costs, margins and history, each in its own document. */
import { askGateway } from '#platform/ask-gateway.ts';
import { daysEarlier, daysLater } from '#kernel/time/duration.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { ChartMark } from '../../figures/chart-marks.ts';
import { getChartMarks } from '../../figures/mark-figures.ts';
import type { WindowChoice } from '../../figures/window-choice.ts';
import { type Outcome, outcomeOf } from '../../http/outcome-of.ts';
import {
  type Change,
  greatestRises,
  TRAILING_DAYS,
  type Unprofitable,
  unprofitableSince,
} from './unprofitable-since.ts';

const COSTS = graphql(`query CustomerCosts($id: ID!, $start: Instant!, $end: Instant!) {
  endUser(endUserId: $id) { externalId costSummary(start: $start, end: $end) { totalCost eventCount firstSeenAt } }
  window(start: $start, end: $end) {
    model: costs(filter: { endUserId: $id }, groupBy: [MODEL], first: 8) { nodes { values { value } totalCost percentOfTotal eventCount } totalCount totalCost eventCount }
    agent: costs(filter: { endUserId: $id }, groupBy: [AGENT], first: 8) { nodes { values { value } totalCost percentOfTotal eventCount } totalCount totalCost eventCount }
    feature: costs(filter: { endUserId: $id }, groupBy: [FEATURE], first: 8) { nodes { values { value } totalCost percentOfTotal eventCount } totalCount totalCost eventCount }
  }
}`);
const MARGINS = graphql(`query CustomerMargins($id: ID!, $start: Instant!, $end: Instant!, $granularity: Granularity!) {
  endUser(endUserId: $id) { overTime(granularity: $granularity, start: $start, end: $end) { margins { start revenue cost } } }
  window(start: $start, end: $end) { margin { endUsers(filter: { endUserId: $id }, first: 1) { nodes { endUserName isMatched } } } }
}`);
const PAST = graphql(`query CustomerPast($id: ID!, $start: Instant!, $end: Instant!) {
  endUser(endUserId: $id) { overTime(granularity: DAY, start: $start, end: $end) { margins { start revenue cost } } }
}`);
const CAUSES = graphql(`query CustomerCauses($id: ID!, $before: Instant!, $then: Instant!, $end: Instant!) {
  before: window(start: $before, end: $then) {
    model: costs(filter: { endUserId: $id }, groupBy: [MODEL], first: 200) { nodes { values { value } totalCost } }
    agent: costs(filter: { endUserId: $id }, groupBy: [AGENT], first: 200) { nodes { values { value } totalCost } }
    feature: costs(filter: { endUserId: $id }, groupBy: [FEATURE], first: 200) { nodes { values { value } totalCost } }
  }
  then: window(start: $then, end: $end) {
    model: costs(filter: { endUserId: $id }, groupBy: [MODEL], first: 200) { nodes { values { value } totalCost } }
    agent: costs(filter: { endUserId: $id }, groupBy: [AGENT], first: 200) { nodes { values { value } totalCost } }
    feature: costs(filter: { endUserId: $id }, groupBy: [FEATURE], first: 200) { nodes { values { value } totalCost } }
  }
}`);

type CustomerCosts = DataOf<'CustomerCosts'>;
export type CustomerGroups = CustomerCosts['window']['model'];
type CustomerMargins = DataOf<'CustomerMargins'>;

export const CAUSE_GROUPS = ['agent', 'model', 'feature'] as const;

interface Decline extends Unprofitable {
  /** Start of the earlier of the two compared windows. */
  readonly beforeStart: Date;
  readonly thenStart: Date;
  readonly end: Date;
  /** Cost increases, by grouping. */
  readonly causes: readonly { readonly group: (typeof CAUSE_GROUPS)[number]; readonly rises: readonly Change[] }[];
}

export interface CustomerFigures {
  readonly costs: CustomerCosts;
  readonly margins: Outcome<CustomerMargins>;
  /** The value of the outcome is `null` if the customer is not unprofitable. */
  readonly decline: Outcome<Decline | null>;
  readonly marks: readonly ChartMark[];
}

/** Days searched for the beginning of the losses. */
const PAST_DAYS = 395;
const RISES_MAX = 3;
const DAYS_DRAWN_MAX = 42;

/** Fails with `NOT_FOUND` if no event has named the customer; margins may fail separately. */
export async function getCustomerFigures(
  gateway: GatewayClient,
  principal: Principal,
  { id, window, now }: { readonly id: string; readonly window: WindowChoice; readonly now: Date },
): Promise<CustomerFigures> {
  const { start, end } = window;
  const [costs, margins, decline, marks] = await Promise.all([
    askGateway(gateway, COSTS, { id, start, end }, principal),
    outcomeOf(getCustomerMargins(gateway, principal, { id, window }), []),
    outcomeOf(getDecline(gateway, principal, { id, now }), []),
    getChartMarks(gateway, principal, { start, end, filter: { endUserId: id } }),
  ]);
  return { costs, margins, decline, marks };
}

/** Revenue and cost over time, by `unitOf(window)`. */
export function getCustomerMargins(
  gateway: GatewayClient,
  principal: Principal,
  { id, window }: { readonly id: string; readonly window: WindowChoice },
): Promise<CustomerMargins> {
  const { start, end } = window;
  const granularity = unitOf(window) === 'day' ? 'DAY' : 'WEEK';
  return askGateway(gateway, MARGINS, { id, start, end, granularity }, principal);
}

/** Bucket of the bars for a window. */
export function unitOf({ start, end }: WindowChoice): 'day' | 'week' {
  return daysEarlier(new Date(end), DAYS_DRAWN_MAX).getTime() <= new Date(start).getTime() ? 'day' : 'week';
}

async function getDecline(
  gateway: GatewayClient,
  principal: Principal,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Decline | null> {
  const past = { id, start: daysEarlier(now, PAST_DAYS).toISOString(), end: now.toISOString() };
  const { endUser } = await askGateway(gateway, PAST, past, principal);
  const unprofitable = unprofitableSince(endUser.overTime.margins);
  if (unprofitable === null) return null;
  const end = daysLater(new Date(unprofitable.comparedTo), 1);
  const [thenStart, beforeStart] = [daysEarlier(end, TRAILING_DAYS), daysEarlier(end, 2 * TRAILING_DAYS)];
  const [from, until, last] = [beforeStart, thenStart, end].map((date) => date.toISOString());
  const compared = await askGateway(gateway, CAUSES, { id, before: from!, then: until!, end: last! }, principal);
  const costsOf = ({ nodes }: DataOf<'CustomerCauses'>['then']['model']) =>
    new Map(nodes.map(({ values, totalCost }) => [values[0]?.value ?? '', totalCost]));
  const causes = CAUSE_GROUPS.map((group) => ({
    group,
    rises: greatestRises(costsOf(compared.before[group]), costsOf(compared.then[group]), RISES_MAX),
  }));
  return { ...unprofitable, beforeStart, thenStart, end, causes };
}
