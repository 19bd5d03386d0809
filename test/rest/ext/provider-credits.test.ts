import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { PATIENCE } from '../../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn } from '../../support/visitor.ts';

/** The page compares bills of the last twelve months. */
const RECENT = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({
      model: 'gpt-4o',
      provider: 'openai',
      cost_override: '2.5',
      event_invoked_at: '2026-01-15T10:00:00Z',
    }),
    usageEvent({
      model: 'gemini-2.5-flash',
      provider: 'google',
      cost_override: '3',
      event_invoked_at: `${RECENT}T10:00:00Z`,
    }),
  ]);
});
afterAll(() => service.stop());
const send = (body: unknown = {}, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/provider-credits', key, body);

const typed = {
  kind: 'PREPAYMENT',
  name: 'Startup <program>',
  provider: 'OpenAI',
  amount: '10',
  models: 'gpt-*',
  order: '',
  from: '2026-01-01',
  until: '2026-02-01',
};

describe('200', () => {
  it('shows a credit that was entered on the page, and what it paid for', async () => {
    expect((await send()).body).toEqual({ provider_credits: [] });
    const person = await signedIn(service.url, service.firstRun);
    const page = await person.get('/rates/credits');
    expect(page.html).toContain('No credits');
    const shown = await person.answer(page, '/rates/credits/preview', typed);
    expect(shown.html).toMatch(/Startup &lt;program&gt;[^]*<data value="2.5">[^]*<data value="7.5">/);
    expect((await send()).body).toEqual({ provider_credits: [] });
    expect((await person.answer(shown, '/rates/credits', typed)).location).toBe('/rates/credits?done=credit-saved');
    await expect
      .poll(async () => (await send()).body.provider_credits, PATIENCE)
      .toEqual([
        {
          id: expect.any(String),
          kind: 'PREPAYMENT',
          name: 'Startup <program>',
          provider: 'openai',
          models: ['gpt-*'],
          classes: null,
          amount: '10',
          currency: 'USD',
          from: '2026-01-01',
          until: '2026-02-01',
          order: null,
          is_in_force: false,
          used: '2.5',
          expired: '7.5',
          left: '0',
          forecast: null,
        },
      ]);
    const { body } = await graphql(
      service.url,
      service.firstRun.live_read_key,
      `{ window(start: "2026-01-01", end: "2026-02-01") {
           usedCredits { used expired lines { name used } days { day provider used } }
           marginAfterFixedCosts { modelCost shortfallCost marginAmount }
         } }`,
    );
    expect(body.data.window).toEqual({
      usedCredits: {
        used: '2.5',
        expired: '7.5',
        lines: [{ name: 'Startup <program>', used: '2.5' }],
        days: [{ day: '2026-01-15', provider: 'openai', used: '2.5' }],
      },
      marginAfterFixedCosts: { modelCost: '2.5', shortfallCost: '7.5', marginAmount: '-10' },
    });
    expect((await person.get('/costs/fixed?from=2026-01-01&to=2026-01-31')).html).toMatch(
      /Paid but not used[^]*Startup &lt;program&gt;[^]*prepayment[^]*<data value="7.5">/,
    );
    const after = await person.get('/rates/credits');
    expect(after.html).toMatch(/Startup &lt;program&gt; <span class="muted">openai, prepayment/);
    const refused = await person.answer(after, '/rates/credits/preview', { ...typed, provider: 'nobody-knows-it' });
    expect([refused.status, refused.html]).toEqual([
      400,
      expect.stringContaining('provider nobody-knows-it has no rate cards'),
    ]);
    const [{ id }] = (await send()).body.provider_credits;
    const form = await person.get(`/rates/credits?edit=${id}`);
    expect(form.html).toMatch(
      /Change the credit or prepayment[^]*name="name" value="Startup &lt;program&gt;"[^]*name="models" value="gpt-\*"/,
    );
    const change = await person.answer(form, '/rates/credits/preview', { ...typed, name: 'Grant', amount: '2' });
    expect(change.html).toContain('The difference is booked when the credit is saved.');
    expect((await person.answer(change, '/rates/credits')).location).toBe('/rates/credits?done=credit-saved');
    await expect
      .poll(async () => (await send()).body.provider_credits, PATIENCE)
      .toMatchObject([{ id, name: 'Grant', amount: '2', used: '2', expired: '0', left: '0' }]);
    const onlyOutput = { ...typed, classes: 'output, cache_read', order: '3' };
    const narrowed = await person.answer(form, '/rates/credits/preview', onlyOutput);
    expect((await person.answer(narrowed, '/rates/credits')).location).toBe('/rates/credits?done=credit-saved');
    await expect
      .poll(async () => (await send()).body.provider_credits, PATIENCE)
      .toMatchObject([{ id, classes: ['output', 'cache_read'], order: 3 }]);
    expect((await person.get(`/rates/credits?edit=${id}`)).html).toMatch(/name="order" value="3"/);
    await person.answer(await person.answer(form, '/rates/credits/preview', { ...typed, id }), '/rates/credits');
    const expired = async () => {
      const document = '{ window(start: "2026-01-01", end: "2026-02-01") { shortfalls { total } } }';
      return (await graphql(service.url, service.firstRun.live_read_key, document)).body.data.window.shortfalls.total;
    };
    await expect.poll(expired, PATIENCE).toBe('7.5');
    expect((await person.answer(after, '/rates/credits/remove', { id })).location).toBe(
      '/rates/credits?done=credit-removed',
    );
    expect((await send()).body).toEqual({ provider_credits: [] });
    // By itself, the job looks for work only every five minutes.
    await expect.poll(expired, PATIENCE).toBe('0');
  });
});

it('the page shows what an imported bill states next to what was computed', async () => {
  const person = await signedIn(service.url, service.firstRun);
  const text = `BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ProviderName,ServiceName\n-3.5,USD,Credit,${RECENT},Google,Vertex AI\n`;
  const { billImport } = await operate(
    service,
    `mutation { billImport(input: { text: ${JSON.stringify(text)} }) { userErrors { message } } }`,
  );
  expect(billImport.userErrors).toEqual([]);
  const gift = { ...typed, kind: 'CREDIT', name: 'Gift', provider: 'google', models: '', from: RECENT, until: '' };
  const shown = await person.answer(await person.get('/rates/credits'), '/rates/credits/preview', gift);
  await person.answer(shown, '/rates/credits');
  await expect
    .poll(async () => (await person.get('/rates/credits')).html, PATIENCE)
    .toMatch(
      /Credits on bills[^]*google[^]*focus\.file[^]*<data value="3.5">[^]*<data value="3">[^]*<data value="0.5">[^]*<data value="6.5">/,
    );
});

describe('400', () => {
  it('to an unknown member', async () => {
    expectEnvelope(await send({ color: 'red' }), 400, 'VALIDATION_ERROR', /color/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
  });
});
