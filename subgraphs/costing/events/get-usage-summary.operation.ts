/** Counts the live events of a window (contract.md, "Usage summary"; decision 9, D36). */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Window } from '#kernel/time/window.ts';
import { countUsage } from './count-usage.query.ts';
import { METRIC_NAME } from './usage-metric.ts';

export interface UsageSummary {
  /** The account user of the calling key. */
  readonly userId: string | null;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly totalEvents: number;
  /** One for each metric that has events. */
  readonly metrics: { readonly metricName: string; readonly totalQuantity: number; readonly eventCount: number }[];
}

export async function getUsageSummary(context: SubgraphContext, window: Window): Promise<UsageSummary> {
  const organizationId = organizationOf(context);
  const { events, quantity } = await context.database.find(organizationId, (tx) =>
    countUsage(tx, organizationId, window),
  );
  return {
    userId: context.principal.accountUserId,
    periodStart: window.start.iso,
    periodEnd: window.end.iso,
    totalEvents: events,
    metrics: events === 0 ? [] : [{ metricName: METRIC_NAME, totalQuantity: quantity, eventCount: events }],
  };
}
