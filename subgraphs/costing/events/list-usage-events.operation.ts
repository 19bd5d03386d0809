/** Lists the live events of a window (contract.md, "Usage"; decision 9, D34, D36). */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Window } from '#kernel/time/window.ts';
import { pageOfUsageEvents } from './usage-event-page.query.ts';
import { checkPage, type UsagePageView, usageEventsPage } from './usage-events-page.ts';
import { matchesMetric } from './usage-metric.ts';

export interface UsageEventsRequest {
  readonly metricName?: string | null | undefined;
  readonly limit: number;
  readonly offset: number;
}

export async function listUsageEvents(
  context: SubgraphContext,
  window: Window,
  request: UsageEventsRequest,
): Promise<UsagePageView> {
  const organizationId = organizationOf(context);
  checkPage(request);
  const rows = matchesMetric(request.metricName)
    ? await context.database.find(organizationId, (tx) => pageOfUsageEvents(tx, organizationId, window, request))
    : { total: 0, events: [] };
  return usageEventsPage(request.offset, rows);
}
