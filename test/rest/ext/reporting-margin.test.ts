import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { addRefund } from '../../../packages/stripe-stand-in/reversals.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { graphql, post, postExt, settle } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { ownService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';

const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };

let service: RunningService;
let processor: StripeStandIn;
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/reporting-margin', key, body);
const ask = (document: string, variables: object = {}) => {
  const { operator_token: token, organization_id: organization } = service.firstRun;
  return graphql(service.url, token, document, variables, organization);
};

// Exchange rates belong to the installation, so this service is not shared.
beforeAll(async () => {
  processor = await start();
  service = await ownService();
  const { account } = processor;
  account.now = Date.parse('2026-01-15T00:00:00Z') / 1000;
  const lines = (amount: number) => [{ amount, start: account.now, end: account.now }];
  const customer = addCustomer(account, { name: 'Ada SARL', metadata: { user_id: 'ada' } });
  const euros = { currency: 'eur', exchangeRate: null, amount: 9_000, fee: 290 };
  addInvoice(account, { customer, currency: 'eur', created: account.now, lines: lines(9_000), settlement: euros });
  const dollars = { currency: 'eur', exchangeRate: 0.8, amount: 8_000, fee: 110 };
  const paid = addInvoice(account, { customer, created: account.now, lines: lines(10_000), settlement: dollars });
  addRefund(account, {
    invoice: paid,
    amount: 5_000,
    settlement: { currency: 'eur', exchangeRate: 0.9, amount: -4_500, fee: 0 },
  });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ada', cost_override: '10', event_invoked_at: '2026-01-15T10:00:00Z' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
  await ask(
    `mutation { revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } } revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } } }`,
  );
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

describe('200', () => {
  it('is in USD, and names revenue that has no rate, until a currency is chosen', async () => {
    const { status, body } = await send(JANUARY);
    expect([status, body.reporting_margin]).toMatchObject([
      200,
      { currency: 'USD', revenue: { amount: '50', currency: 'USD' }, latest_rate: null, is_complete: false },
    ]);
    expect(body.reporting_margin.waiting).toMatchObject([{ kind: 'REVENUE' }, { kind: 'FEE' }]);
  });

  it('converts each invoice at its rate, costs at the rate of the day, and lists fees and exchange differences', async () => {
    await ask('mutation ($file: String!) { fxRatesImport(input: { file: $file }) { userErrors { message } } }', {
      file: 'Date,USD,\n2026-01-15,1.6,\n',
    });
    await ask('mutation { organizationCurrencySet(input: { currency: "EUR" }) { userErrors { message } } }');
    const isConverting = async () =>
      (await ask('{ reportingCurrency { isConverting } }')).body.data.reportingCurrency.isConverting as boolean;
    await expect.poll(isConverting, PATIENCE).toBe(false);
    const euros = (amount: string) => ({ amount, currency: 'EUR' });
    // 90 + (100 - 50) × 0.8 of revenue; 10 / 1.6 of cost; 50 × (0.9 - 0.8) lost by the refund.
    const ada = {
      revenue: euros('130'),
      cost: euros('6.25'),
      margin: euros('123.75'),
      margin_percent: 95.19,
      fees: euros('4'),
    };
    expect((await send({ start_date: '2026-01-15', end_date: '2026-01-16', first: 1 })).body.reporting_margin).toEqual({
      currency: 'EUR',
      ...ada,
      cost_in_usd: '10',
      margin_after_fees: euros('119.75'),
      exchange_differences: euros('-5'),
      latest_rate: { day: '2026-01-15', from: 'USD', to: 'EUR', rate: '0.625' },
      is_complete: true,
      waiting: [],
      warnings: [],
      end_users: {
        total_count: 1,
        nodes: [{ user_id: 'ada', name: 'Ada SARL', ...ada, exchange_differences: euros('-5') }],
      },
    });
  });
});

describe('400', () => {
  it('to an invalid member', async () => {
    expectEnvelope(await send({ first: 1001 }), 400, 'VALIDATION_ERROR', /first must be a whole number from 1 to 1000/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send(JANUARY, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without revenue:read', async () => {
    expectEnvelope(await send(JANUARY, service.firstRun.live_ingest_key), 403, 'FORBIDDEN');
  });
});
