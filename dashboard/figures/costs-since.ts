/** Warns about a period whose revenue begins before the first day with costs: its margin is too high. */
import { amount } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { html, type Html } from '../shell/html.ts';
import { formatDate } from './instant.ts';
import { unitOfGranularity } from './margin-chart.ts';
import { endOf } from './time-axis.ts';

const DAYS = graphql(`query FirstCosts($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { costTrend(granularity: DAY) { series { points { start cost } } } }
}`);

interface MarginBucket {
  readonly date: string;
  readonly revenue: string;
  readonly cost: string;
}

/** The first day with costs; `null` if no revenue is earlier, or if there are no costs. */
export async function getCostsSince(
  gateway: GatewayClient,
  principal: Principal,
  { granularity, dataPoints }: { readonly granularity: string; readonly dataPoints: readonly MarginBucket[] },
): Promise<string | null> {
  const first = dataPoints.findIndex(({ cost }) => amount(cost) !== 0n);
  const hasEarlierRevenue = dataPoints.slice(0, Math.max(first, 0)).some(({ revenue }) => amount(revenue) > 0n);
  const bucket = dataPoints[first];
  if (bucket === undefined || !hasEarlierRevenue) return null;
  const start = `${bucket.date}T00:00:00.000Z`;
  const end = new Date(endOf(start, unitOfGranularity(granularity))).toISOString();
  const { value } = await outcomeOf(askGateway(gateway, DAYS, { start, end }, principal), []);
  const days = value?.window.costTrend.series[0]?.points ?? [];
  return days.find(({ cost }) => amount(cost) !== 0n)?.start ?? start;
}

export function costsSinceLine(since: string | null): Html | false {
  return (
    since !== null &&
    html`<p class="warning">There are no costs before ${formatDate(since)}, so the margin on revenue from before that day is too high.</p>`
  );
}
