import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await runningService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

it('an empty organization is told where to begin', async () => {
  const { html } = await person.get('/');
  expect(html).toContain('No usage in this window yet');
  expect(html).toContain('<p class="figure">$0.00</p>');
});

it('shows what it cost, who caused it and whether it paid', async () => {
  const minute = new Date(Date.now() - 60_000).toISOString();
  const events = [
    usageEvent({ user_id: 'ada & co', cost_override: '2.5', event_invoked_at: minute }),
    usageEvent({ user_id: 'ben', cost_override: '1', event_invoked_at: minute }),
    usageEvent({ cost_override: '0.5', event_invoked_at: minute }),
  ];
  const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  expect(sent.body).toMatchObject({ accepted: 3 });
  await settle(service.url, service.firstRun.operator_token);
  for (const path of ['/?window=30-days', '/?window=90-days', '/?window=year']) {
    const { status, html } = await person.get(path);
    expect(status).toBe(200);
    expect(html).toContain('<p class="figure">$4.00</p>');
    expect(html).toContain(
      '<th scope="row" class="name">ada &amp; co</th><td class="number">$2.50</td><td class="number">62.50 %',
    );
    expect(html).toContain('1 event names no customer: $0.50 are in the total');
    expect(html).toContain('Without an end user');
    expect(html).toContain(
      'No payment processor is connected: there are costs and no revenue. <a href="/settings/payments">Connect Stripe</a>',
    );
    expect(html).toContain('<span class="badge bad">unprofitable</span>');
    expect(html).toContain('<figure class="trend">');
  }
});

it('an unknown span is this month', async () => {
  expect((await person.get('/?window=forever')).html).toMatch(/href="\/\?window=month" aria-current="true"/);
});
