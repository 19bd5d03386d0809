import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { graphql, post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { ownService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PATH = '/settings/currency';
const DAY_MS = 86_400_000;

let service: RunningService;
let processor: StripeStandIn;
let person: Visitor;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const dayOf = (date: Date) => date.toISOString().slice(0, 10);

// Exchange rates belong to the installation, so this service is not shared.
beforeAll(async () => {
  processor = await start();
  service = await ownService();
  person = await signedIn(service.url, service.firstRun);
  const at = Math.floor(ago(6).getTime() / 1000);
  processor.account.now = at;
  const customer = addCustomer(processor.account, { name: 'Ada SARL', metadata: { user_id: 'ada' } });
  addInvoice(processor.account, {
    customer,
    currency: 'eur',
    created: at,
    lines: [{ amount: 9_000, start: at, end: at }],
    settlement: { currency: 'eur', exchangeRate: null, amount: 9_000, fee: 290 },
  });
  addInvoice(processor.account, {
    customer,
    currency: 'usd',
    created: at,
    lines: [{ amount: 2_500, start: at, end: at }],
  });
  const events = [
    usageEvent({ user_id: 'ada', cost_override: '10', event_invoked_at: ago(6).toISOString() }),
    usageEvent({ user_id: 'ada', cost_override: '20', event_invoked_at: ago(2).toISOString() }),
  ];
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  await settle(service.url, service.firstRun.operator_token);
  const connect = `mutation { revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } } revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } } }`;
  const { body } = await ask(connect);
  expect(body).toMatchObject({ data: { revenueSync: { run: { state: 'FINISHED' }, userErrors: [] } } });
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

function ask(document: string, variables: object = {}) {
  const { operator_token: token, organization_id: organization } = service.firstRun;
  return graphql(service.url, token, document, variables, organization);
}

describe('the currency of an organization', () => {
  it('is refused while there are no exchange rates', async () => {
    expect((await person.get(PATH)).html).toContain('has not imported exchange rates');
    const page = await person.submit(PATH, PATH, { currency: 'EUR', from: '' });
    expect(page.html).toContain('currency: no exchange rates of EUR are imported');
    expect((await person.get('/margins?window=30d')).html).not.toContain('Margin in');
    expect((await person.get('/margins/currency?window=30d')).html).toContain('Margins are reported in USD.');
  });

  it('is set by an owner, and a page linked from the margins then shows the margin in it', async () => {
    const file = `Date,USD,GBP,\n${dayOf(ago(2))},1.25,0.85,\n${dayOf(ago(6))},1.6,0.8,\n${dayOf(ago(12))},1.5,0.8,\n`;
    const IMPORT =
      'mutation ($file: String!) { fxRatesImport(input: { file: $file }) { imported { added } userErrors { message } } }';
    expect((await ask(IMPORT, { file })).body.data.fxRatesImport).toEqual({ imported: { added: 6 }, userErrors: [] });
    expect((await person.submit(PATH, PATH, { currency: 'EUR', from: '' })).location).toBe(`${PATH}?done=currency-set`);
    await expect
      .poll(async () => (await ask('{ reportingCurrency { isConverting } }')).body.data.reportingCurrency, {
        timeout: 20_000,
      })
      .toEqual({ isConverting: false });
    const margins = (await person.get('/margins?window=30d')).html;
    expect(margins).toContain('<a href="/margins/currency?window=30d">Margin in EUR</a>');
    // The margin in USD is as before.
    expect(margins).toContain('Revenue $25.00 − cost $30.00');
    const { html } = await person.get('/margins/currency?window=30d');
    // 90 + 25 / 1.6 of revenue; 10 / 1.6 + 20 / 1.25 of cost.
    expect(html).toContain('Revenue 105.63 EUR − cost 22.25 EUR = margin 83.38 EUR (78.93%)');
    expect(html).toContain('Stripe fees 2.90 EUR; margin after fees 80.48 EUR.');
    expect(html).toContain('the latest rate is 0.8 EUR for one USD');
    expect(html).not.toContain('Waiting for an exchange rate');
    const csv = (await person.get('/margins/currency.csv?window=30d')).html.trim().split('\r\n');
    expect(csv).toEqual([
      'customer,revenue,cost,margin,margin_percent,fees,margin_after_fees,exchange_differences,currency,usd_rate,usd_rate_day,is_complete',
      `Ada SARL,105.625,22.25,83.375,78.93,2.9,80.475,0,EUR,0.8,${dayOf(ago(2))},yes`,
    ]);
    const settings = (await person.get(PATH)).html;
    expect(settings).toContain('for all months');
    expect(settings).toContain('<th scope="row">GBP</th><td class="number">0.85</td>');
    const own = `Date,AED,\n${dayOf(ago(2))},4,\n`;
    const OWN =
      'mutation ($file: String!) { fxRatesImport(input: { file: $file, source: OWN }) { userErrors { message } } }';
    expect((await ask(OWN, { file: own })).body.data.fxRatesImport.userErrors).toEqual([]);
    expect((await person.get(PATH)).html).toContain(
      '<th scope="row">AED <span class="muted">operator</span></th><td class="number">4</td>',
    );
  });

  it('may be USD again: the margin then includes invoices in other currencies, next to the one without them', async () => {
    await person.submit(PATH, PATH, { currency: 'USD', from: '' });
    await expect
      .poll(async () => (await ask('{ reportingCurrency { isConverting } }')).body.data.reportingCurrency, {
        timeout: 20_000,
      })
      .toEqual({ isConverting: false });
    const margins = (await person.get('/margins?window=30d')).html;
    expect(margins).toContain('>Margin with other currencies</a>');
    expect(margins).toContain('Revenue $25.00 − cost $30.00');
    const { html } = await person.get('/margins/currency?window=30d');
    // 90 euros at 1.6, and 25 dollars.
    expect(html).toContain('Margin in USD, other currencies included');
    expect(html).toContain('Revenue 169.00 USD − cost 30.00 USD = margin 139.00 USD (82.25%)');
  });
});
