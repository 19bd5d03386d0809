/** Returns an organization's cost in a named period and in the period before it, and its events by state. */
import { amount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { fromWindowEnum, namedWindow, type WindowEnum } from '#kernel/time/named-window.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readPeriodCosts } from './period-costs.query.ts';

/**
 * `timeWindow` as named by the enum. Costs and `eventCount` cover completed events, `statusCounts` all events of the
 * period (decision 9, D25 to D27).
 */
export async function summarizeCosts(context: SubgraphContext, timeWindow: WindowEnum) {
  const organizationId = organizationOf(context);
  const { window, previous } = namedWindow(fromWindowEnum(timeWindow), now());
  const costs = await context.database.find(organizationId, (tx) =>
    readPeriodCosts(tx, organizationId, window, previous),
  );
  const current = amount(costs.totalCost);
  const before = amount(costs.previousCost);
  const change = current - before;
  const { completed, failed, pending, pendingRateCard } = costs;
  return {
    currentPeriodCost: current,
    previousPeriodCost: before,
    changeAmount: change,
    changePercent: percent(change, before) ?? (current === 0n ? 0 : 100),
    eventCount: completed,
    periodStart: window.start,
    periodEnd: window.end,
    statusCounts: { completed, failed, pending, pendingRateCard },
  };
}
