/** From the payment processor to REST: revenue next to cost, and the events of one subscription. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectEnvelope } from '../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { addCustomer, addSubscription } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { usageEvent } from '../support/usage-event.ts';

const MARCH = 'start_date=2026-03-01&end_date=2026-04-01';
const at = (iso: string) => Date.parse(iso) / 1000;
const month = { start: at('2026-03-01T00:00:00Z'), end: at('2026-04-01T00:00:00Z') };
const event = (user: string | undefined, cost: string) =>
  usageEvent({ event_invoked_at: '2026-03-10T10:00:00Z', user_id: user, cost_override: cost });

let service: ServiceWithEvents;
let standIn: StripeStandIn;
beforeAll(async () => {
  standIn = await start();
  const { account } = standIn;
  for (const [user, amount] of [
    ['ada', 10_000],
    ['bob', 10_000],
    ['eve', 10_000],
    ['nobody', 2_500],
  ] as const) {
    const customer = addCustomer(account, { name: `${user} inc`, metadata: { user_id: user } });
    addSubscription(account, { customer, id: `sub_${user}` });
    addInvoice(account, { customer, lines: [{ amount, ...month }] });
  }
  addSubscription(account, { customer: addCustomer(account, {}), id: 'sub_unmapped' });
  service = await serviceWithEvents([
    event('ada', '79.99'),
    event('bob', '80'),
    event('eve', '100.01'),
    event('eve', '0'),
    event('free', '1'),
    event(undefined, '2'),
  ]);
  await service.operate(
    'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { state } userErrors { message } } }',
    {
      input: { processor: 'stripe', apiKey: 'rk_live_stand_in', apiBase: standIn.url },
    },
  );
  await service.operate('mutation { revenueSync(input: {}) { run { id } userErrors { message } } }');
});
afterAll(async () => {
  await service.stop();
  await standIn.stop();
});

it("the API compares cost with revenue, least profitable first, in the contract's categories", async () => {
  const { body } = await service.read(`/margin-data/by-end-user?${MARCH}`);
  const line = (
    name: string,
    cost: string,
    revenue: string,
    margin: string,
    percent: number | null,
    category: string,
  ) => ({
    end_user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    end_user_name: name,
    cost,
    revenue,
    margin_amount: margin,
    margin_percent: percent,
    profitability_category: category,
  });
  expect(body).toEqual({
    end_users: [
      line('free', '1', '0', '-1', null, 'unprofitable'),
      line('eve inc', '100.01', '100', '-0.01', -0.01, 'unprofitable'),
      line('bob inc', '80', '100', '20', 20, 'break-even'),
      line('ada inc', '79.99', '100', '20.01', 20.01, 'profitable'),
    ],
    org_total: {
      total_revenue: '325',
      total_cost: '263',
      margin_amount: '62',
      margin_percent: 19.08,
      profitability_category: 'break-even',
      revenue_record_count: 4,
      cost_record_count: 6,
      unattributed_revenue: '25',
      unattributed_cost: '2',
    },
    warnings: [
      { type: 'unattributed_revenue', count: 1, message: expect.any(String) },
      { type: 'unattributed_cost', count: 1, message: expect.any(String) },
    ],
  });
});

it('the API recognizes adjoining windows to the full amount', async () => {
  const revenueOf = async (range: string) =>
    (await service.read(`/margin-data/by-end-user?${range}`)).body.org_total.total_revenue;
  const cut = '2026-03-13T07:31:17.123457Z';
  const [one, other] = [
    await revenueOf(`start_date=2026-03-01&end_date=${cut}`),
    await revenueOf(`start_date=${cut}&end_date=2026-05-01`),
  ];
  const units = (text: string) =>
    BigInt(text.split('.')[0]!) * 10n ** 15n + BigInt((text.split('.')[1] ?? '').padEnd(15, '0'));
  expect(units(one) + units(other)).toBe(325n * 10n ** 15n);
});

it('the API restricts usage events to the end user of a subscription', async () => {
  const page = (await service.read(`/usage/events?${MARCH}&subscription_id=sub_eve&limit=1`)).body;
  expect({ ...page, events: page.events.length }).toEqual({ events: 1, total: 2, limit: 1, offset: 0 });
  expect((await service.read(`/usage/events?${MARCH}&subscription_id=sub_eve&metric_name=requests`)).body).toEqual({
    events: [],
    total: 0,
    limit: 0,
    offset: 0,
  });
  expect(
    (await service.read(`/usage/events?start_date=2026-04-01&end_date=2026-05-01&subscription_id=sub_eve`)).body.total,
  ).toBe(0);
});

it.each([
  ['no events yet', 'sub_nobody'],
  ['who is not an end user', 'sub_unmapped'],
])('the API accepts the subscription of someone %s: it has no events', async (_who, id) => {
  for (const offset of [0, 5]) {
    const { status, body } = await service.read(`/usage/events?${MARCH}&subscription_id=${id}&offset=${offset}`);
    expect([status, body]).toEqual([200, { events: [], total: 0, limit: 0, offset }]);
  }
});

it('the API refuses another subscription', async () => {
  expectEnvelope(
    await service.read(`/usage/events?${MARCH}&subscription_id=sub_other`),
    404,
    'NOT_FOUND',
    /subscription_id/,
  );
});
