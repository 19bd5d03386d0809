/** Revenue and cost over time, for `/margins`: in days for up to six weeks. The graph itself returns weeks for more than 30 days. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';

const TREND = graphql(`query MarginsOverTime($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { marginTrend { granularity dataPoints { date revenue cost marginAmount marginPercent } } }
}`);

export type MarginTrend = DataOf<'MarginsOverTime'>['window']['marginTrend'];

const DAILY_DAYS_MAX = 42;
/** The graph's limit for days. */
const DAYS_PER_READ_MAX = 30;

export async function getMarginTrend(
  gateway: GatewayClient,
  principal: Principal,
  { start, end }: { readonly start: string; readonly end: string },
): Promise<MarginTrend> {
  const parts = await Promise.all(dailyParts(start, end).map((part) => askGateway(gateway, TREND, part, principal)));
  const [first, ...others] = parts.map(({ window }) => window.marginTrend);
  return { ...first!, dataPoints: [first!, ...others].flatMap(({ dataPoints }) => dataPoints) };
}

/** Two parts that meet at a midnight, or the whole window if it is too long for days. */
function dailyParts(start: string, end: string): { start: string; end: string }[] {
  const [from, until] = [Date.parse(start), Date.parse(end)];
  const days = (until - from) / DAY_MS;
  if (days <= DAYS_PER_READ_MAX || days > DAILY_DAYS_MAX) return [{ start, end }];
  const split = new Date((Math.floor(from / DAY_MS) + DAYS_PER_READ_MAX) * DAY_MS).toISOString();
  return [
    { start, end: split },
    { start: split, end },
  ];
}
