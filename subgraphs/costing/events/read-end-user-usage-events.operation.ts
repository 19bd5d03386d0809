/** Lists the live events of one end user in a span. Whether the end user exists is attribution's to say: here it has none. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { parseDateRange } from '../../../kernel/time/date-range.ts';
import { pageOfEndUserEvents } from './usage-event-page.query.ts';
import { checkPage, type ShownUsagePage, usageEventsPage } from './usage-events-page.ts';
import { matchesMetric } from './usage-metric.ts';

export interface EndUserEventsRequest {
  readonly start: string;
  readonly end: string;
  readonly metricName?: string | null | undefined;
  readonly limit: number;
  readonly offset: number;
}

export async function readEndUserUsageEvents(
  context: SubgraphContext, externalId: string, request: EndUserEventsRequest,
): Promise<ShownUsagePage> {
  const organizationId = organizationOf(context);
  const span = parseDateRange({ start_date: request.start, end_date: request.end }, { required: true, now: now() });
  checkPage(request);
  if (!matchesMetric(request.metricName)) return usageEventsPage([], 0, request.offset);
  const { events, total } = await context.database.read(organizationId, (tx) =>
    pageOfEndUserEvents(tx, organizationId, externalId, span, request));
  return usageEventsPage(events, total, request.offset);
}
