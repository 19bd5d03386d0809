/** Figures of a statement, read from the graph. */
import { amount } from '#kernel/money.ts';
import { graphql } from '#schema/graphql.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import type { StatementFigures } from './statement-sentence.ts';

const STATEMENT = graphql(`query ScheduledStatement($start: Instant!, $end: Instant!, $before: Instant!) {
  window(start: $start, end: $end) {
    margin {
      total { totalRevenue totalCost marginPercent }
      endUsers(filter: { only: UNPROFITABLE }, first: 1) { totalCount marginAmount }
    }
    costs(groupBy: [MODEL], first: 1) { eventCount }
    events(first: 1) { totalCount }
  }
  before: window(start: $before, end: $start) { costs(groupBy: [MODEL], first: 1) { totalCost } }
}`);

/** `before`: start of the previous period. */
export async function readStatement(
  read: ReadGraph,
  { before, start, end }: { readonly before: Date; readonly start: Date; readonly end: Date },
): Promise<StatementFigures> {
  const variables = { start: start.toISOString(), end: end.toISOString(), before: before.toISOString() };
  const found = await read(STATEMENT, variables);
  const { margin, costs, events } = found.window;
  const { totalRevenue, totalCost, marginPercent } = margin.total;
  return {
    revenue: totalRevenue,
    cost: totalCost,
    // Without costs, the percentage would be 100, which is misleading.
    marginPercent: amount(totalCost) === 0n ? null : marginPercent,
    previousCost: found.before.costs.totalCost,
    customersLosing: margin.endUsers.totalCount,
    lost: margin.endUsers.marginAmount,
    // Waiting, failed and just received events have no cost.
    eventsWithoutPrice: (events.totalCount ?? 0) - costs.eventCount,
  };
}
