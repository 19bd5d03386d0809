/** Counts the live events of a window, with the first and the last (contract.md, "Usage aggregation shape"). */
import type { OrganizationId } from '#kernel/ids.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { canonicalInstant } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { countUsage } from './count-usage.query.ts';
import { METRIC_NAME } from './usage-metric.ts';

export interface UsageAggregation {
  readonly aggregations: MetricAggregation[];
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly totalEvents: number;
}

interface MetricAggregation {
  readonly metricName: string;
  readonly totalQuantity: number;
  readonly eventCount: number;
  readonly firstEventAt: string;
  readonly lastEventAt: string;
}

export async function getUsageAggregation(context: SubgraphContext, window: Window): Promise<UsageAggregation> {
  const organizationId = organizationOf(context);
  const { count, extremes } = await context.database.snapshot(organizationId, async (tx) => ({
    count: await countUsage(tx, organizationId, window),
    extremes: await findUsageExtremes(tx, organizationId, window),
  }));
  const { firstEventAt, lastEventAt } = extremes;
  const period = { periodStart: window.start.iso, periodEnd: window.end.iso, totalEvents: count.events };
  // Events may arrive between the two queries; they are counted in the next request.
  if (count.events === 0 || firstEventAt === null || lastEventAt === null) {
    return { ...period, totalEvents: 0, aggregations: [] };
  }
  const aggregation: MetricAggregation = {
    metricName: METRIC_NAME,
    totalQuantity: count.quantity,
    eventCount: count.events,
    firstEventAt: canonicalInstant(firstEventAt),
    lastEventAt: canonicalInstant(lastEventAt),
  };
  return { ...period, aggregations: [aggregation] };
}

interface UsageExtremes {
  /** ISO 8601 UTC with six fraction digits; null without events. */
  readonly firstEventAt: string | null;
  readonly lastEventAt: string | null;
}

const edge = (order: 'asc' | 'desc') => `
  (select ${isoMicros('event_time')} from usage_event
   where organization_id = :organizationId and livemode and event_time >= :start and event_time < :end
   order by usage_event.event_time ${order} limit 1)`;

const FIND_EXTREMES = statement<
  UsageExtremes,
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string }
>(`select ${edge('asc')} as first_event_at, ${edge('desc')} as last_event_at`);

/** The times of the first and the last live event of a window, from two index lookups. */
function findUsageExtremes(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
): Promise<UsageExtremes> {
  return tx.one(FIND_EXTREMES, { organizationId, start: start.iso, end: end.iso });
}
