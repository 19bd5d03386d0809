/** Counts the live events of a span, with the first and the last (api-specification.md, "Usage aggregation shape"). */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { DateRange } from '../../../kernel/time/date-range.ts';
import { countUsage } from './count-usage.query.ts';
import { findUsageExtremes } from './usage-extremes.query.ts';
import { canonicalInstant } from './usage-events-page.ts';
import { METRIC_NAME } from './usage-metric.ts';

export interface UsageAggregation {
  readonly aggregations: MetricAggregation[];
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly totalEvents: number;
}

export interface MetricAggregation {
  readonly metricName: string;
  readonly totalQuantity: number;
  readonly eventCount: number;
  readonly firstEventAt: string;
  readonly lastEventAt: string;
}

export async function readUsageAggregation(context: SubgraphContext, span: DateRange): Promise<UsageAggregation> {
  const organizationId = organizationOf(context);
  const { count, extremes } = await context.database.read(organizationId, async (tx) => ({
    count: await countUsage(tx, organizationId, span),
    extremes: await findUsageExtremes(tx, organizationId, span),
  }));
  const { firstEventAt, lastEventAt } = extremes;
  const period = { periodStart: span.start, periodEnd: span.end, totalEvents: count.events };
  // Events that came between the two looks: they are counted the next time.
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
