/** Revenue and cost, by end user and in total. */
import { count } from './words.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

export const CUSTOMERS =
  graphql(`query AlertCustomers($start: Instant!, $end: Instant!, $search: String, $after: String) {
  window(start: $start, end: $end) {
    margin {
      endUsers(filter: { search: $search }, first: 5000, after: $after) {
        nodes { endUserId endUser { externalId } endUserName cost revenue marginAmount marginPercent }
        pageInfo { hasNextPage endCursor }
      }
      total { totalRevenue totalCost marginAmount marginPercent }
    }
  }
}`);
const FIRST_SEEN = graphql(`query AlertFirstSeen($externalId: String!, $start: Instant!, $end: Instant!) {
  endUser(externalId: $externalId) { costSummary(start: $start, end: $end) { firstSeenAt } }
}`);
const SETTLED = graphql(`query AlertSettled($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { warnings { type message } }
  thisMonth: costSummary(timeWindow: CURRENT_PERIOD) { statusCounts { pending } }
  lastMonth: costSummary(timeWindow: LAST_PERIOD) { statusCounts { pending } }
}`);

export interface CustomerMargin {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly cost: string;
  readonly revenue: string;
  readonly margin: string;
  readonly marginPercent: number | null;
}

export interface Customers {
  readonly customers: readonly CustomerMargin[];
  readonly total: Pick<CustomerMargin, 'cost' | 'revenue' | 'margin' | 'marginPercent'>;
}

/** Least profitable first. Reading stops once there are `customersMax`. */
export async function readCustomers(
  read: ReadGraph,
  { start, end }: { readonly start: string; readonly end: string },
  customersMax: number,
): Promise<Customers> {
  const customers: CustomerMargin[] = [];
  for (let after: string | null = null; ;) {
    const page: DataOf<'AlertCustomers'> = await read(CUSTOMERS, { start, end, search: null, after });
    const { margin } = page.window;
    const { nodes, pageInfo } = margin.endUsers;
    customers.push(
      ...nodes.map((node) => ({
        id: node.endUserId,
        externalId: node.endUser.externalId,
        name: node.endUserName,
        cost: node.cost,
        revenue: node.revenue,
        margin: node.marginAmount,
        marginPercent: node.marginPercent,
      })),
    );
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || customers.length >= customersMax) {
      const { totalCost, totalRevenue, marginAmount, marginPercent } = margin.total;
      return { customers, total: { cost: totalCost, revenue: totalRevenue, margin: marginAmount, marginPercent } };
    }
  }
}

/** First day with an event, `YYYY-MM-DD`; null if no event has named the end user. */
export async function readFirstDay(
  read: ReadGraph,
  externalId: string,
  window: { readonly start: string; readonly end: string },
): Promise<string | null> {
  const { endUser } = await read(FIRST_SEEN, { externalId, ...window });
  return endUser.costSummary.firstSeenAt?.slice(0, 10) ?? null;
}

/** Reason why a day that has ended is not judged yet, as plain text; null if it is settled. */
export async function findUnsettled(
  read: ReadGraph,
  window: { readonly start: string; readonly end: string },
): Promise<string | null> {
  const { window: figures, thisMonth, lastMonth } = await read(SETTLED, window);
  const pending = thisMonth.statusCounts.pending + lastMonth.statusCounts.pending;
  if (pending === 1) return '1 event is still being priced';
  if (pending > 0) return `${count(pending)} events are still being priced`;
  return figures.warnings[0]?.message ?? null;
}
