/** The search of all pages. */
import { beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;
const event = usageEvent({ user_id: 'opal & jewels', idempotency_key: 'order-4711' });
beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [event]);
  await settle(service.url, service.firstRun.operator_token);
});

const search = (q: string) => person.submit('/search', '/search', { q });
/** Names of the lists that contain hits. */
const listsOf = (html: string) => [...html.matchAll(/<h2 id="found-[\w-]+">(\w+(?: \w+)?)/g)].map(([, name]) => name);

it('the search finds a customer by a part of its id, which never appears in a URL', async () => {
  const { status, html } = await search('JEWEL');
  expect(status).toBe(200);
  expect(listsOf(html)).toEqual(['Customers']);
  expect(html).toMatch(/<a href="\/customers\/[0-9a-f-]{36}">opal &amp; jewels<\/a>/);
});

it('the search finds models, settings, and an event by its key', async () => {
  const models = await search('gpt-4o-mini');
  expect(listsOf(models.html)).toEqual(['Models']);
  expect(models.html).toMatch(/<a href="\/rates\/cards\/[^"]+">gpt-4o-mini<\/a>/);
  expect(listsOf((await search('Members')).html)).toContain('Pages');
  const events = await search('order-4711');
  expect(listsOf(events.html)).toEqual(['Events']);
  const [, path = ''] = /<a href="(\/events\/[0-9a-f-]{36})">/.exec(events.html) ?? [];
  expect((await person.get(path)).status).toBe(200);
});

it('the search finds saved views by a part of their name', async () => {
  const path = '/costs?group=agent';
  const page = `/views?path=${encodeURIComponent(path)}`;
  await person.submit(page, '/views/add', { name: 'Weekly review', for: 'me' });
  const { html } = await search('weekly');
  expect(listsOf(html)).toEqual(['Saved views']);
  expect(html).toContain(`<a href="${path}">Weekly review</a> <span class="muted">only for you</span>`);
});

it('the search says so if nothing is found, and escapes what was typed', async () => {
  const { html } = await search('<b>nothing');
  expect(html).toContain('<h1>Search: &lt;b&gt;nothing</h1><p class="panel empty">Nothing found.</p>');
  expect((await person.get('/search?q=opal')).html).toContain('Press / to search from any page.');
});

it('a mistyped customer, filter or model gets the nearest name as a suggestion', async () => {
  const list = await person.get('/customers?window=30d');
  // The first form of the page chooses dates.
  const html = list.html.slice(list.html.indexOf('<form class="panel controls" method="post" action="/customers"'));
  const customers = await person.answer({ ...list, html }, '/customers', { search: 'opal & jewles' });
  expect(customers.html).toContain('<button class="quiet">opal &amp; jewels</button>');
  const costs = await person.get('/costs?window=30d&group=agent&filter=model:Gpt-4o');
  expect(costs.status).toBe(422);
  expect(costs.html).toMatch(/Did you mean <a href="\/costs\?[^"]*filter=model:gpt-4o[^"]*">gpt-4o<\/a>\?/);
  const whatIf = await person.get('/what-if?window=30d&model=gpt-4o&by=claude-sonet-4-5');
  expect(whatIf.html).toMatch(
    /Did you mean <a href="\/what-if\?[^"]*by=claude-sonnet-4-5[^"]*">claude-sonnet-4-5<\/a>\?/,
  );
});
