/**
 * Several customers who became unprofitable, and one who had been before: their earlier margins are read in one
 * request.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start as startProcessor, type StripeStandIn } from '../../../../packages/stripe-stand-in/server.ts';
import { graphql } from '../../../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../../support/service-with-events.ts';
import { usageEvent } from '../../../support/usage-event.ts';
import { syncCustomers } from './sync-customers.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const daysAgo = (days: number) => new Date(MIDNIGHT - days * DAY_MS).toISOString();
const call = (user: string, days: number, cost: string) =>
  usageEvent({ user_id: user, cost_override: cost, event_invoked_at: daysAgo(days - 0.5) });

/** Each pays 2 USD a day. `before`: cost of each day more than ten days ago; `now`: of the last ten days. */
const CUSTOMERS = {
  acme: { before: '1', now: '5' },
  globex: { before: '0.5', now: '3' },
  initech: { before: '4', now: '4' },
  umbrella: { before: '1.5', now: '9' },
  wayne: { before: '1', now: '1' },
} as const;

let service: ServiceWithEvents;
let processor: StripeStandIn;
beforeAll(async () => {
  processor = await startProcessor();
  const days = Array.from({ length: 70 }, (_, day) => day + 1);
  service = await serviceWithEvents(
    Object.entries(CUSTOMERS).flatMap(([user, { before, now }]) =>
      days.map((day) => call(user, day, day <= 10 ? now : before)),
    ),
  );
  await syncCustomers(service, processor, Object.keys(CUSTOMERS), { from: daysAgo(90), to: daysAgo(-20) });
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

it('an insight about customers who became unprofitable names each with its own earlier margin', async () => {
  const document = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    insights(first: 20) { kind sentence figures { name value } }
  } }`;
  const variables = { start: daysAgo(10), end: daysAgo(0) };
  const { body } = await graphql(service.url, service.firstRun.live_read_key, document, variables);
  const turned = body.data.window.insights.filter(({ kind }: any) => kind === 'CUSTOMER_TURNED_UNPROFITABLE');
  expect(
    turned.map(({ sentence, figures }: any) => [
      /, (\w+) cost/.exec(sentence)?.[1],
      ...['margin', 'previous_margin'].map((wanted) => figures.find(({ name }: any) => name === wanted).value),
    ]),
  ).toEqual([
    ['umbrella', '-70', '5'],
    ['acme', '-30', '10'],
    ['globex', '-10', '15'],
  ]);
});
