import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { endUserId } from '#kernel/end-user-id.ts';
import { amount, plain } from '#kernel/money.ts';
import { greatestRises, unprofitableSince } from '../../../dashboard/pages/customers/unprofitable-since.ts';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { graphql, post, settle } from '../../support/api-client.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

describe('the day since which a customer has been unprofitable', () => {
  const days = (figures: readonly (readonly [string, string])[]) =>
    figures.map(([revenue, cost], day) => ({
      start: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
      revenue,
      cost,
    }));
  const many = (count: number, revenue: string, cost: string) =>
    Array.from({ length: count }, () => [revenue, cost] as const);

  it('is the first day from which thirty days together cost more than they earned', () => {
    const found = unprofitableSince(days([...many(60, '1', '0.5'), ...many(30, '1', '2')]));
    // Revenue is 30 a month. Ten days at 2 and twenty at 0.5 cost 30; the eleventh day at 2 exceeds it.
    expect(found).toEqual({
      since: '2026-03-12T00:00:00.000Z',
      isFromTheFirst: false,
      comparedTo: '2026-03-12T00:00:00.000Z',
      then: { revenue: '30', cost: '31.5' },
      before: { revenue: '30', cost: '15' },
    });
  });

  it('does not exist while the customer is profitable, and is the first day with costs if the customer never was', () => {
    expect(unprofitableSince(days(many(90, '1', '1')))).toBeNull();
    expect(unprofitableSince(days([]))).toBeNull();
    expect(unprofitableSince(days(many(40, '0', '0')))).toBeNull();
    const never = unprofitableSince(days([...many(10, '0', '0'), ...many(50, '0', '1')]));
    expect(never).toMatchObject({
      since: '2026-01-11T00:00:00.000Z',
      isFromTheFirst: true,
      then: { cost: '30' },
      before: { cost: '20' },
    });
  });

  it('every later day has a trailing margin below zero, and the day before does not', () => {
    const cents = fc.integer({ min: 0, max: 300 }).map((count) => plain(BigInt(count) * 10n ** 13n));
    fc.assert(
      fc.property(fc.array(fc.tuple(cents, cents), { maxLength: 80 }), (figures) => {
        const all = days(figures);
        const margins = all.map((_, day) =>
          all
            .slice(Math.max(0, day - 29), day + 1)
            .reduce((sum, { revenue, cost }) => sum + amount(revenue) - amount(cost), 0n),
        );
        const found = unprofitableSince(all);
        const since = all.findIndex((day) => day.start === found?.since);
        expect(found === null).toBe((margins.at(-1) ?? 0n) >= 0n);
        if (found === null) return;
        expect(margins.slice(since).every((margin) => margin < 0n)).toBe(true);
        if (!found.isFromTheFirst) expect(margins[since - 1]! >= 0n).toBe(true);
      }),
    );
  });

  it('the largest increase comes first, and decreases are left out', () => {
    expect(
      greatestRises(
        new Map([
          ['a', '1'],
          ['b', '5'],
        ]),
        new Map([
          ['a', '2'],
          ['b', '1'],
          ['c', '3'],
        ]),
        5,
      ),
    ).toEqual([
      { name: 'c', before: '0', then: '3', change: '3' },
      { name: 'a', before: '1', then: '2', change: '1' },
    ]);
  });
});

describe('customers', () => {
  let service: RunningService;
  let processor: StripeStandIn;
  let person: Visitor;
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000 - 60_000);
  const idOf = (externalId: string) => endUserId(service.firstRun.organization_id, externalId);

  beforeAll(async () => {
    processor = await start();
    service = await sharedService();
    person = await signedIn(service.url, service.firstRun);
    const [from, to] = [ago(80), ago(-10)].map((date) => Math.floor(date.getTime() / 1000));
    for (const [name, cents] of Object.entries({ ada: 9_000, bob: 90_000, stranger: 9_000 })) {
      const customer = addCustomer(processor.account, { name: `${name} <Ltd>`, metadata: { user_id: name } });
      addInvoice(processor.account, { customer, lines: [{ amount: cents, start: from!, end: to! }] });
    }
    const event = (user: string, cost: string, days: number, agent: string) =>
      usageEvent({
        user_id: user,
        cost_override: cost,
        metadata: { agent_id: agent },
        event_invoked_at: ago(days).toISOString(),
      });
    const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      event('ada', '5', 50, 'support'),
      event('ada', '3', 20, 'support'),
      event('ada', '60.123', 12, 'research'),
      event('bob', '10', 5, 'support'),
      event('free', '7', 5, 'support'),
      usageEvent({ cost_override: '0.2798052', event_invoked_at: ago(3).toISOString() }),
    ]);
    expect(sent.body).toMatchObject({ accepted: 6 });
    const many = Array.from({ length: 52 }, (_, index) => event(`crowd-${index}`, '0.01', 200, 'support'));
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, many);
    await settle(service.url, service.firstRun.operator_token);
    const { operator_token: token, organization_id: organization } = service.firstRun;
    const connect = `mutation { revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } } }`;
    await graphql(service.url, token, connect, {}, organization);
    await vi.waitFor(async () => {
      const sync = 'mutation { revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } } }';
      const { body } = await graphql(service.url, token, sync, {}, organization);
      expect(body).toMatchObject({ data: { revenueSync: { run: { state: 'FINISHED' } } } });
    }, PATIENCE);
  });
  afterAll(async () => {
    await service.stop();
    await processor.stop();
  });

  const namesOf = (html: string) =>
    [...html.matchAll(/<th scope="row" class="name"><a href="\/customers\/[^"]+">([^<]+)<\/a>/g)].map(
      ([, name]) => name,
    );
  const csrfOf = (html: string) => /name="csrf_token" value="([^"]+)"/.exec(html)![1]!;
  const totalOf = (html: string) =>
    [...html.slice(html.indexOf('<tfoot>')).matchAll(/<data value="([^"]+)">/g)].slice(0, 3).map(([, text]) => text!);

  it('all customers are listed, the largest losses first, whether they pay or not', async () => {
    const { html } = await person.get('/customers?window=30d');
    expect(namesOf(html)).toEqual(['ada &lt;Ltd&gt;', 'free', 'bob &lt;Ltd&gt;']);
    expect(html).toContain('<span class="badge bad">unprofitable</span> <span class="badge">pays nothing</span>');
    expect(namesOf((await person.get('/customers?window=30d&only=losing')).html)).toEqual(['ada &lt;Ltd&gt;', 'free']);
    expect(namesOf((await person.get('/customers?window=30d&only=nonpaying')).html)).toEqual(['free']);
    expect(namesOf((await person.get('/customers?window=30d&only=paying')).html)).toEqual([
      'ada &lt;Ltd&gt;',
      'bob &lt;Ltd&gt;',
    ]);
    for (const path of ['/?window=30d', '/margins?window=30d']) {
      const page = (await person.get(path)).html;
      const [losses = ''] = page.slice(page.indexOf('2 customers lose money')).split('</table>');
      expect(namesOf(losses)).toEqual(['ada &lt;Ltd&gt;', 'free']);
    }
    expect(namesOf((await person.get('/customers?only=all&sort=-cost')).html)).toEqual([
      'ada &lt;Ltd&gt;',
      'bob &lt;Ltd&gt;',
      'free',
    ]);
    const unmatched = (await person.get('/customers?only=unmatched')).html;
    expect(namesOf(unmatched)).toEqual(['free']);
    // No customer without revenue has cost today. Another person, because a period is remembered.
    const another = await signedIn(service.url, service.firstRun);
    const today = (await another.get('/customers?only=unmatched&window=today')).html;
    expect(today).toMatch(
      /All customers of this period are linked to Stripe\..*Paying nothing<\/a>.*Unassigned revenue<\/a>/,
    );
    expect(unmatched).toContain('These customers are not linked to a Stripe customer.');
    const { html: unlinked } = await person.get('/customers?only=unlinked');
    expect(unlinked).toContain('stranger &lt;Ltd&gt;');
    expect(unlinked).toContain('no events yet');
    expect(html).toContain('1 event has no customer: $0.28 is included in the total but not assigned to a customer');
  });

  it('are found by a part of the name or id, which appears in no URL', async () => {
    const search = async (path: string, text: string) => {
      const before = await person.get(path);
      const html = before.html.slice(
        before.html.lastIndexOf('<form', before.html.indexOf('action="/customers" role="search"')),
      );
      return person.answer({ ...before, html }, '/customers', { search: text });
    };
    const page = await search('/customers?only=all', 'FRE');
    expect(page.status).toBe(200);
    expect(namesOf(page.html)).toEqual(['free']);
    expect(page.html).not.toMatch(/href="[^"]*fre/i);
    const none = await search('/customers', 'nobody at all');
    expect(none.html).toContain('No customer matches this search');
    expect(page.html).toContain('<button class="secondary" formaction="/customers.csv">CSV</button>');
    const csv = await person.post('/customers.csv', { only: 'all', search: 'FRE', csrf_token: csrfOf(page.html) });
    expect(csv.html.trim().split('\r\n').slice(1)).toEqual(['free,free,0,7,-7,,unprofitable']);
    expect((await person.post('/customers.csv', { only: 'all', search: 'FRE' })).status).toBe(403);
  });

  it('are searched one page at a time', async () => {
    const day = ago(200).toISOString().slice(0, 10);
    const path = `/customers?from=${day}&to=${day}&only=all`;
    const page = await person.get(path);
    const html = page.html.slice(
      page.html.lastIndexOf('<form', page.html.indexOf('action="/customers" role="search"')),
    );
    const first = await person.answer({ ...page, html }, '/customers', { search: 'crowd' });
    expect([namesOf(first.html).length, first.html.includes('First page')]).toEqual([50, false]);
    const pager = first.html.slice(first.html.indexOf('aria-label="Pages"'));
    const second = await person.answer({ ...first, html: pager }, '/customers', {});
    expect([namesOf(second.html).length, second.html.includes('Next page')]).toEqual([2, false]);
    expect(new Set([...namesOf(first.html), ...namesOf(second.html)]).size).toBe(52);
  });

  it('shows the same totals as the graph, and the rows of the CSV add up to them', async () => {
    const { html } = await person.get('/customers?from=2020-01-01&to=2020-06-01&only=all');
    expect(html).toContain('None in this period.');
    const dates = `from=${ago(60).toISOString().slice(0, 10)}&to=${ago(1).toISOString().slice(0, 10)}`;
    const total = totalOf((await person.get(`/customers?${dates}&only=all`)).html);
    const csv = await person.get(`/customers.csv?${dates}&only=all&sort=name`);
    const [header, ...rows] = csv.html
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(header).toEqual(['customer', 'name', 'revenue_usd', 'cost_usd', 'margin_usd', 'margin_percent', 'verdict']);
    expect(rows.map(([id]) => id)).toEqual(['ada', 'bob', 'free']);
    for (const column of [2, 3, 4])
      expect(plain(rows.reduce((sum, row) => sum + amount(row[column]!), 0n))).toBe(total[column - 2]);
    expect(csv.headers.get('content-disposition')).toContain(`-${ago(1).toISOString().slice(0, 10)}.csv`);
  });

  it('revenue without a customer is available as CSV', async () => {
    const { html } = await person.get('/customers?window=30d&only=unlinked');
    const [, href] = /href="(\/customers\.csv[^"]*)"/.exec(html)!;
    const csv = await person.get(href!.replaceAll('&amp;', '&'));
    const [header, ...rows] = csv.html.trim().split('\r\n');
    expect(header).toBe('processor_id,name,linked_to,revenue_usd');
    expect(rows).toEqual([expect.stringMatching(/^cus_\w+,stranger <Ltd>,stranger,30(\.\d+)?$/)]);
  });

  it('the page of a customer has a CSV for each of its tables, and the rows add up to the figures shown', async () => {
    const { html } = await person.get(`/customers/${idOf('ada')}?window=90d`);
    const paths = [...html.matchAll(/href="([^"]+\.csv\?[^"]*)" download/g)].map(([, path]) => path!);
    expect(paths.map((path) => path.replace(/\?.*/, ''))).toEqual([
      `/customers/${idOf('ada')}/margins.csv`,
      ...Array.from({ length: 3 }, () => '/costs.csv'),
    ]);
    const costs = await Promise.all(
      paths.map(async (path) => {
        const csv = await person.get(path.replaceAll('&amp;', '&'));
        const [header = '', ...rows] = csv.html.trim().split('\r\n');
        const column = header.split(',').indexOf('cost_usd');
        return plain(rows.reduce((sum, row) => sum + amount(row.split(',')[column]!), 0n));
      }),
    );
    expect(costs).toEqual(['68.123', '68.123', '68.123', '68.123']);
    expect((await person.get(`/customers/${idOf('nobody')}/margins.csv`)).status).toBe(404);
  });

  it('the page of a customer shows when and why it became unprofitable', async () => {
    const { status, html } = await person.get(`/customers/${idOf('ada')}?window=90d`);
    expect(status).toBe(200);
    expect(html).toContain('<h1>ada &lt;Ltd&gt;</h1>');
    expect(html).toContain('ID in your events: <code>ada</code>');
    const since = ago(12).toISOString().slice(0, 10);
    expect(html).toMatch(new RegExp(`Unprofitable since <strong><time datetime="${since}T00:00:00.000Z">`));
    expect(html).toMatch(
      new RegExp(
        `Agent <a href="/costs\\?from=[^"]*&amp;to=${since}&amp;group=model&amp;filter=customer:${idOf('ada')}&amp;filter=agent:research">research</a>: \\$0\\.00 to \\$60\\.12`,
      ),
    );
    expect(html).toContain('<data value="68.123">$68.12</data>');
    expect(html).toContain(`href="/costs?window=90d&amp;group=model&amp;filter=customer:${idOf('ada')}"`);
    expect((await person.get(`/customers/${idOf('bob')}`)).html).toContain('Profitable: in the last 30 days');
    const { html: free } = await person.get(`/customers/${idOf('free')}`);
    expect(free).toContain('it has never been profitable');
    expect(free).toContain('Not linked to a Stripe customer');
    for (const id of [idOf('nobody'), 'x']) expect((await person.get(`/customers/${id}`)).status).toBe(404);
  });

  it('margins are shown from revenue through every cost to the remainder, exactly', async () => {
    const { html } = await person.get('/margins?window=30d');
    // Every invoice has a customer.
    expect(html).toMatch(/Not assigned to a customer: <a href="[^"]*filter=customer:none">\$0\.28<\/a> cost\.<\/p>/);
    const table = html.slice(html.indexOf('class="fold waterfall"'), html.indexOf('</table>'));
    const steps = [...table.matchAll(/<data value="([^"]+)">/g)].map(([, text]) => amount(text!));
    expect(plain(steps.slice(0, -1).reduce((sum, step) => sum + step, 0n))).toBe(plain(steps.at(-1)!));
    expect(namesOf(html)).toEqual(['ada &lt;Ltd&gt;', 'free']);
    const csv = (await person.get('/margins.csv?window=30d')).html.trim().split('\r\n').slice(1);
    expect(plain(csv.reduce((sum, line) => sum + amount(line.split(',')[3]!), 0n))).toBe(plain(steps.at(-1)!));
    expect((await person.get('/margins?from=2020-01-01&to=2026-01-01')).status).toBe(422);
  });
});
