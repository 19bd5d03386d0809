/**
 * Lists the live events of one end user in a period. An unknown end user has no events here: attribution checks whether
 * it exists.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { pageOfEndUserEvents } from './usage-event-page.query.ts';
import { checkPage, type UsagePageView, usageEventsPage } from './usage-events-page.ts';
import { matchesMetric } from './usage-metric.ts';

export interface EndUserEventsRequest {
  readonly start: string;
  readonly end: string;
  readonly metricName?: string | null | undefined;
  readonly limit: number;
  readonly offset: number;
}

export async function listEndUserUsageEvents(
  context: SubgraphContext,
  externalId: string,
  request: EndUserEventsRequest,
): Promise<UsagePageView> {
  const organizationId = organizationOf(context);
  const window = parseWindow(request);
  checkPage(request);
  const rows = matchesMetric(request.metricName)
    ? await context.database.find(organizationId, (tx) =>
        pageOfEndUserEvents(tx, organizationId, externalId, window, request),
      )
    : { total: 0, events: [] };
  return usageEventsPage(request.offset, rows);
}
