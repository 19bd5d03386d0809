/** What an organization spent in a named period, beside the period before it, and what became of its events. */
import { fail } from '../../../schema/errors.ts';
import { amount } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';
import { isTimeWindow } from '../../../kernel/time/time-window.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { readPeriodCosts } from './period-costs.query.ts';
import { periodOfWindow } from './period-of-window.ts';

/**
 * `timeWindow` as the enum names it. Costs and `eventCount` cover completed events, `statusCounts` all of the period
 * (decisions.md D25 to D27).
 */
export async function summarizeCosts(context: SubgraphContext, timeWindow: string) {
  const organizationId = organizationOf(context);
  const window = timeWindow.toLowerCase().replaceAll('_', '-');
  if (!isTimeWindow(window)) fail('VALIDATION_ERROR', 'Unknown time window');
  const { start, end, previousStart, previousEnd } = periodOfWindow(window, now());
  const costs = await context.database.read(organizationId, (tx) =>
    readPeriodCosts(tx, organizationId, 
      { start: start.toISOString(), end: end.toISOString() }, { start: previousStart.toISOString(), end: previousEnd.toISOString() }));
  const current = amount(costs.totalCost);
  const previous = amount(costs.previousCost);
  const change = current - previous;
  const { completed, failed, pending, pendingRateCard } = costs;
  return {
    currentPeriodCost: current, previousPeriodCost: previous, changeAmount: change,
    changePercent: percent(change, previous) ?? (current === 0n ? 0 : 100),
    eventCount: completed, periodStart: start, periodEnd: end,
    statusCounts: { completed, failed, pending, pendingRateCard },
  };
}
