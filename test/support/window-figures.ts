/** Event count and cost of a window, as every read returns them. */
import { expect } from 'vitest';
import { graphql } from './api-client.ts';
import type { ServiceWithEvents } from './service-with-events.ts';

export const range = (from: Date, until: Date) => `start_date=${from.toISOString()}&end_date=${until.toISOString()}`;

async function ask(service: ServiceWithEvents, document: string, variables: object) {
  const { body } = await graphql(service.url, service.firstRun.live_read_key, document, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

interface Figures {
  readonly event_count: number;
  readonly total_cost: string;
}

/** Count and cost of a window, from every read that returns them. */
export async function readEverything(service: ServiceWithEvents, from: Date, until: Date, named: string) {
  const body = async (path: string) => (await service.read(path)).body;
  const only = async (path: string) => {
    const answer = await body(`${path}${path.includes('?') ? '&' : '?'}${range(from, until)}`);
    const items = (answer.items ?? answer.models) as Figures[];
    expect(items, path).toHaveLength(1);
    return [items[0]?.event_count, items[0]?.total_cost];
  };
  const summary = await body(`/cost-data/summary?time_window=${named}`);
  const trend = await body(`/cost-data/trend?${range(from, until)}`);
  const points = trend.series[0].data_points as { cost: string; event_count: number }[];
  const { window } = await ask(
    service,
    `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
      ledgerCosts { eventCount totalCost }
      ledgerCostsByEndUser { items { eventCount totalCost } }
      costs(groupBy: [END_USER]) { nodes { eventCount totalCost } }
    } }`,
    { start: from.toISOString(), end: until.toISOString() },
  );
  const pair = ({ eventCount, totalCost }: { eventCount: number; totalCost: string }) => [eventCount, totalCost];
  return {
    summary: [summary.event_count, summary.current_period_cost],
    completed: summary.status_counts.completed,
    trend: [
      points.reduce((sum, { event_count }) => sum + event_count, 0),
      String(points.reduce((sum, { cost }) => sum + Number(cost), 0)),
    ],
    byModel: await only('/cost-data/by-model'),
    byAgent: await only('/attribution-data/by-agent'),
    byDimension: await only('/dimension-data/cost-breakdown?dimension_key=team'),
    byEndUser: window.costs.nodes.map(pair),
    ledger: pair(window.ledgerCosts),
    ledgerByEndUser: window.ledgerCostsByEndUser.items.map(pair),
    usage: (await body(`/usage/events?${range(from, until)}`)).total,
  };
}

export const everywhere = (count: number, cost: string) => ({
  summary: [count, cost],
  completed: count,
  trend: [count, cost],
  byModel: [count, cost],
  byAgent: [count, cost],
  byDimension: [count, cost],
  byEndUser: [[count, cost]],
  ledger: [count, cost],
  ledgerByEndUser: [[count, cost]],
  usage: count,
});
