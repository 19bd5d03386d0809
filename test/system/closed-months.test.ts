/** What is counted of a closed month: every read has the events of a window at their own time, and their costs where they are booked. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { PATIENCE } from '../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { usageEvent } from '../support/usage-event.ts';

const NOW = new Date();
const first = (monthsAgo: number) => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo, 1));
const [CLOSED, OPEN, NEXT] = [first(1), first(0), first(-1)];
const LATE = 7;
const PUNCTUAL = 3;

const event = (at: Date) =>
  usageEvent({
    event_invoked_at: at.toISOString(),
    cost_override: '1',
    input_tokens: 10,
    output_tokens: 5,
    user_id: 'ada',
    agent_id: 'support',
    metadata: { team: 'red' },
  });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    Array.from({ length: PUNCTUAL }, () => event(OPEN)),
    [
      `dimensionRegister(key: "team", label: "Team") { dimension { key } userErrors { message } }`,
      `costsClose(through: "${CLOSED.toISOString().slice(0, 7)}") { closing { closedUntil } userErrors { message } }`,
    ],
  );
  await service.send(Array.from({ length: LATE }, (_, index) => event(new Date(CLOSED.getTime() + index * 3_600_000))));
});
afterAll(() => service.stop());

const range = (from: Date, until: Date) => `start_date=${from.toISOString()}&end_date=${until.toISOString()}`;

/** Asks the graph as the key that reads. */
async function ask(document: string, variables: object) {
  const { body } = await graphql(service.url, service.firstRun.live_read_key, document, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

interface Figures {
  readonly event_count: number;
  readonly total_cost: string;
}

/** Count and cost of a window, by every read that tells them. */
async function readEverything(from: Date, until: Date, named: string) {
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
    `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
      ledgerCosts { eventCount totalCost }
      ledgerCostsByEndUser { items { eventCount totalCost } }
      costsByEndUser { items { eventCount totalCost } }
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
    byEndUser: window.costsByEndUser.items.map(pair),
    ledger: pair(window.ledgerCosts),
    ledgerByEndUser: window.ledgerCostsByEndUser.items.map(pair),
    usage: (await body(`/usage/events?${range(from, until)}`)).total,
  };
}

const everywhere = (count: number, cost: string) => ({
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

it('is the same in every read of the open month, which has the cost of the late events', async () => {
  expect(await readEverything(OPEN, NEXT, 'current-period')).toEqual(everywhere(PUNCTUAL, '10'));
});

it('is the same in every read of the closed month, whose cost stays', async () => {
  expect(await readEverything(CLOSED, OPEN, 'last-period')).toEqual(everywhere(LATE, '0'));
});

it('has its tokens where its events are', async () => {
  const tokens = async (from: Date, until: Date) => {
    const { body } = await service.read(`/cost-data/by-model?${range(from, until)}`);
    return [body.models[0].input_tokens, body.models[0].output_tokens];
  };
  expect([await tokens(CLOSED, OPEN), await tokens(OPEN, NEXT)]).toEqual([
    [10 * LATE, 5 * LATE],
    [10 * PUNCTUAL, 5 * PUNCTUAL],
  ]);
});

it('agrees with the ledger, day by day, and after it is brought again', async () => {
  const differences = async () => {
    const { startVerification } = await service.operate('mutation { startVerification { id } }');
    await vi.waitFor(
      async () => {
        const { attributionOperation } = await service.operate(
          'query ($id: ID!) { attributionOperation(id: $id) { state } }',
          {
            id: startVerification.id,
          },
        );
        expect(attributionOperation).toMatchObject({ state: 'finished' });
      },
      { ...PATIENCE, interval: 50 },
    );
    return (await service.operate('{ bookDifferences { day what detail } }')).bookDifferences;
  };
  expect(await differences()).toEqual([]);
});
