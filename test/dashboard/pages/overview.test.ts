import { afterAll, beforeAll, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

it('an empty organization is shown where to begin', async () => {
  const { html } = await person.get('/');
  expect(html).toContain('No usage in this period.');
  expect(html).toContain(
    '<p class="figure"><a href="/costs?window=30d&amp;group=model&amp;compare=previous">$0.00</a></p>',
  );
});

it('the overview shows the cost, its causes, and the margin', async () => {
  const minute = new Date(Date.now() - 60_000).toISOString();
  const events = [
    usageEvent({ user_id: 'ada & co', cost_override: '2.5', event_invoked_at: minute }),
    usageEvent({ user_id: 'ben', cost_override: '1', event_invoked_at: minute }),
    usageEvent({ cost_override: '0.5', event_invoked_at: minute }),
  ];
  const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  expect(sent.body).toMatchObject({ accepted: 3 });
  await settle(service.url, service.firstRun.operator_token);
  for (const window of ['30d', '90d', 'year']) {
    const { status, html } = await person.get(`/?window=${window}`);
    expect(status).toBe(200);
    expect(html).toContain(`<a href="/costs?window=${window}&amp;group=model&amp;compare=previous">$4.00</a>`);
    expect(html).toContain('No costs in ');
    const path = `/customers/${endUserId(service.firstRun.organization_id, 'ada & co')}?window=${window}`;
    expect(html).toContain(
      `<th scope="row" class="name"><a href="${path}">ada &amp; co</a></th><td class="number" data-label="Cost"><data value="2.5">$2.50</data></td><td class="number" data-label="Share">62.50%`,
    );
    expect(html).toContain(
      `href="/costs?window=${window}&amp;group=agent&amp;filter=customer:none">Without a customer</a>`,
    );
    expect((await person.get(path)).status).toBe(200);
    expect(html).toContain('2 customers lose money: −$3.50 in total');
    expect(html).toContain('1 event has no customer: $0.50 is included in the total');
    expect(html).toContain('Connect Stripe to see margins. <a href="/settings/payments">Connect Stripe</a>');
    expect(html).toContain('<figure class="trend">');
  }
});

it('the overview links to the most expensive event, session and key in at most two clicks', async () => {
  const minute = new Date(Date.now() - 60_000).toISOString();
  const event = usageEvent({ cost_override: '9', session_id: 'night shift', event_invoked_at: minute });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [event]);
  await settle(service.url, service.firstRun.operator_token);
  const follow = async (from: string, link: RegExp) => {
    const [, path] = link.exec(from) ?? [];
    expect(path, `${link}`).toBeDefined();
    return (await person.get(path!.replaceAll('&amp;', '&'))).html;
  };
  const { html } = await person.get('/?window=30d');
  const events = await follow(html, /<a href="([^"]+)">Most expensive events</);
  expect(await follow(events, /<th scope="row"><a href="(\/events\/[^"]+)">/)).toContain('$9.00');
  const sessions = await follow(html, /<a href="([^"]+)">Sessions</);
  expect(await follow(sessions, /<a href="([^"]+)">night shift</)).toContain('<b>$9.00</b> in total');
  expect(await follow(html, /<a href="([^"]+)">API keys<\/a><\/li><li>/)).toContain('Default ingestion');
});

it('the overview leads to the statement of the last completed month', async () => {
  const [, statement = ''] = /href="([^"]+)">Statement of last month</.exec((await person.get('/')).html) ?? [];
  expect(statement).toMatch(/^\/books\/closing\/statement\?month=\d{4}-\d\d$/);
  expect((await person.get(statement)).html).toContain('Profit and loss by customer');
});

it('an unknown period means 30 days', async () => {
  expect((await person.get('/?window=forever')).html).toMatch(/href="\/\?window=30d" aria-current="true"/);
});

it('a chosen period is kept on all pages, and a fixed instant keeps the figures', async () => {
  const other = await signedIn(service.url, service.firstRun);
  const { html } = await other.get('/?window=month');
  const [, pin = ''] =
    /as of <time[^>]*>\d\d:\d\d:\d\d UTC<\/time>\s*<a href="([^"]+)">Freeze these figures/.exec(html) ?? [];
  expect(pin).toMatch(/^\/\?window=month&amp;at=/);
  for (const path of ['/costs', '/margins', '/customers', '/events', '/what-if'])
    expect((await other.get(path)).html).toMatch(/href="[^"]*window=month[^"]*" aria-current="true">This month/);
  await other.get(pin.replaceAll('&amp;', '&'));
  const fixed = /\(fixed\)/;
  expect((await other.get('/costs')).html).toMatch(fixed);
  await other.get('/margins?window=7d');
  expect((await other.get('/costs')).html).not.toMatch(fixed);
  await other.get('/costs?from=2026-01-01&to=2026-01-31');
  expect((await other.get('/')).html).toContain('value="2026-01-31"');
});

it('a page that has not changed is not sent again, and can be compressed', async () => {
  const path = '/settings';
  const first = await person.get(path);
  const tag = first.headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"/);
  expect((await person.get(path, { 'if-none-match': tag })).status).toBe(304);
  expect(first.headers.get('content-encoding')).toBe('gzip');
  expect((await person.get(path, { 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull();
});
