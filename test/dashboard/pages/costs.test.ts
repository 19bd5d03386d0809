import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { amount, plain } from '#kernel/money.ts';
import { parseCostView, costPath } from '../../../dashboard/figures/cost-address.ts';
import { comparedWindow, windowChoice } from '../../../dashboard/figures/window-choice.ts';
import { get, post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

describe('a URL of costs', () => {
  it.each([
    '/costs?window=30d&group=model',
    '/costs?window=month&group=model&compare=dates&before-from=2025-11-01&before-to=2025-11-30',
    '/costs?window=30d&group=session&filter=session:s:1&tokens=yes',
    '/costs?from=2026-03-01T12:00Z&to=2026-03-01T18:30:00.500Z&group=model',
    '/costs?from=2026-03-01&to=2026-03-31&group=agent,customer&filter=agent:a:b&filter=dimension.te%2525am:red&compare=year&grain=week&sort=name&top=100',
  ])('equals the URL of the view it opens: %s', (path) => {
    const view = parseCostView(new URL(path, 'http://x').searchParams, NOW);
    expect(costPath(view)).toBe(path);
  });

  it.each([
    'group=nothing',
    'group=model,model',
    'group=%25zz',
    'filter=agent',
    'filter=user:x',
    'compare=never',
    'compare=dates&before-from=2026-02-30&before-to=2026-03-01',
    'compare=dates&before-from=2026-03-01',
    'grain=second',
    'sort=up',
    'top=0',
    'from=2026-03-01',
    'from=2026-03-31&to=2026-03-01',
    'from=2026-03-31T10:00Z&to=2026-03-31T10:00Z',
    'from=2026-03-31&to=2026-03-31T10:00Z',
    'from=2026-02-30&to=2026-03-01',
  ])('a URL of costs with an invalid parameter is refused: %s', (query) => {
    expect(() => parseCostView(new URLSearchParams(query), NOW)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  it('compares a window with the one before, and with the same window a month or a year earlier', () => {
    const own = windowChoice(new URLSearchParams('from=2026-03-01&to=2026-03-10'), NOW);
    expect([own.start, own.end]).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-11T00:00:00.000Z']);
    expect(comparedWindow(own, 'previous', NOW)).toMatchObject({
      start: '2026-02-01T00:00:00.000Z',
      end: '2026-02-11T00:00:00.000Z',
    });
    const later = windowChoice(new URLSearchParams('from=2026-03-02&to=2026-03-11'), NOW);
    expect(comparedWindow(later, 'previous', NOW)).toMatchObject({
      start: '2026-02-20T00:00:00.000Z',
      end: later.start,
    });
    expect(comparedWindow(own, 'month', NOW)).toMatchObject({
      start: '2026-02-01T00:00:00.000Z',
      end: '2026-02-11T00:00:00.000Z',
    });
    expect(comparedWindow(own, { from: '2025-11-01', to: '2025-11-30' }, NOW)).toEqual({
      start: '2025-11-01T00:00:00.000Z',
      end: '2025-12-01T00:00:00.000Z',
      label: '2025-11-01 to 2025-11-30',
    });
    expect(parseCostView(new URLSearchParams('window=month&compare=dates'), NOW).compare).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    });
    const month = windowChoice(new URLSearchParams('window=month'), NOW);
    expect(comparedWindow(month, 'previous', NOW)).toMatchObject({ start: '2026-02-01T00:00:00.000Z' });
    expect(comparedWindow(month, 'year', NOW)).toMatchObject({
      start: '2025-03-01T00:00:00.000Z',
      end: '2025-03-31T12:00:00.000Z',
    });
    expect(windowChoice(new URLSearchParams('from=2026-03-31&to=2026-03-31'), NOW).end).toBe(NOW.toISOString());
    expect(windowChoice(new URLSearchParams('from=2026-03-30T10:00Z&to=2026-03-30T16:00Z'), NOW)).toMatchObject({
      ...{ name: null, label: '2026-03-30, 10:00 to 2026-03-30, 16:00 UTC' },
      ...{ start: '2026-03-30T10:00:00.000Z', end: '2026-03-30T16:00:00.000Z' },
    });
  });
});

describe('/costs', () => {
  let service: RunningService;
  let person: Visitor;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000 - 60_000).toISOString();
  const agents = Array.from({ length: 13 }, (_, index) => `agent-${index}`);

  beforeAll(async () => {
    service = await sharedService();
    person = await signedIn(service.url, service.firstRun);
    const events = agents.flatMap((agent, index) => [
      usageEvent({
        user_id: `=cmd|${index % 3}`,
        cost_override: `0.${index + 1}1`,
        metadata: { agent_id: agent, feature: `f${index % 2}` },
        event_invoked_at: day(index % 5),
      }),
      usageEvent({ cost_override: '0.003', metadata: { agent_id: agent }, event_invoked_at: day(index % 5) }),
      usageEvent({ user_id: 'before', cost_override: '0.5', metadata: { agent_id: agent }, event_invoked_at: day(40) }),
    ]);
    const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
    expect(sent.body).toMatchObject({ accepted: events.length });
    await settle(service.url, service.firstRun.operator_token);
  });
  afterAll(() => service.stop());

  const amountsOf = (html: string) => [...html.matchAll(/<data value="([^"]+)">/g)].map(([, text]) => amount(text!));
  const tableOf = (html: string) =>
    html.slice(
      html.indexOf('aria-labelledby="groups"><table'),
      html.indexOf('</table>', html.indexOf('aria-labelledby="groups"><table')),
    );

  it('adds up to the last digit, with a separate, linked row for the others', async () => {
    const { status, html } = await person.get('/costs?window=30d&group=agent');
    expect(status).toBe(200);
    const amounts = amountsOf(tableOf(html));
    const total = amounts.at(-1)!;
    // Ten agents, the others, rounding, and the total.
    expect(amounts).toHaveLength(13);
    expect(plain(amounts.slice(0, -1).reduce((sum, one) => sum + one, 0n))).toBe(plain(total));
    const { body } = await get(
      service.url,
      `/cost-data/summary?time_window=last-30-days`,
      service.firstRun.live_read_key,
    );
    expect(plain(total)).toBe((body as { current_period_cost: string }).current_period_cost);
    expect(html).toContain('<a href="/costs?window=30d&amp;group=agent&amp;top=100#groups">Other (3)</a>');
    expect((await person.get('/costs?window=30d&group=agent&top=100')).html).not.toContain('Other (');
    expect(html.includes('<title>All others: $')).toBe(true);
    expect(html).toMatch(/<title>agent-8: \$0\.91<\/title><path class="layer" fill="url\(#pattern-\d\)"/);
  });

  it('links every name to a grouping one level deeper, and leads back when a filter is removed', async () => {
    const { html } = await person.get('/costs?window=30d&group=agent');
    expect(html).toContain('href="/costs?window=30d&amp;group=customer&amp;filter=agent:agent-12"');
    const narrowed = await person.get('/costs?window=30d&group=customer&filter=agent:agent-12');
    const id = endUserId(service.firstRun.organization_id, '=cmd|0');
    expect(narrowed.html).toContain(
      `href="/costs?window=30d&amp;group=model&amp;filter=agent:agent-12&amp;filter=customer:${id}"`,
    );
    expect(narrowed.html).toContain('filter=customer:none');
    expect(narrowed.html).toMatch(/class="remove" href="\/costs\?window=30d&amp;group=customer"/);
    const both = await person.get(`/costs?window=30d&group=model&filter=agent:agent-12&filter=customer:${id}`);
    expect(both.html).toContain('=cmd|0</a>');
    expect(tableOf(both.html)).toContain('<data value="0.131">');
    const none = await person.get('/costs?window=30d&group=agent,feature&filter=customer:none&top=100');
    expect(plain(amountsOf(tableOf(none.html)).at(-1)!)).toBe('0.039');
  });

  it('links contain no external ids', async () => {
    const { html } = await person.get('/costs?window=30d&group=customer,model');
    expect(html).toContain('=cmd|0');
    expect([...html.matchAll(/href="([^"]+)"/g)].filter(([, href]) => /cmd/.test(decodeURIComponent(href!)))).toEqual(
      [],
    );
  });

  it('compares with another period, including costs that disappeared', async () => {
    const { html } = await person.get('/costs?window=30d&group=customer&compare=previous');
    expect(html).toContain('previous 30 days');
    const rows = tableOf(html)
      .split('<tr')
      .slice(2)
      .map((row) => amountsOf(row).map(plain));
    const total = rows.pop()!;
    expect(total[1]).toBe('6.5');
    expect(plain(rows.reduce((sum, [, was]) => sum + amount(was!), 0n))).toBe('6.5');
    expect(rows.at(-1)).toEqual(['0', '6.5']);
    const change = html.slice(
      html.indexOf('aria-labelledby="change"><table'),
      html.indexOf('</table>', html.indexOf('aria-labelledby="change"><table')),
    );
    const parts = change.split('<tr').slice(2).map(amountsOf);
    expect(plain(parts.at(-1)![0]!)).toBe('-1.407');
    expect(parts.slice(0, -1).reduce((sum, row) => sum + row[0]!, 0n)).toBe(parts.at(-1)![0]);
    const explained = html.slice(
      html.indexOf('aria-labelledby="change"'),
      html.indexOf('aria-labelledby="change"><table'),
    );
    const [whole, ...causes] = amountsOf(explained);
    expect(plain(whole!)).toBe('-1.407');
    expect(causes.length).toBeGreaterThan(0);
    expect(causes.reduce((sum, cause) => sum + cause, 0n)).toBe(whole);
    expect(change).toContain('<span class="badge">gone</span>');
  });

  it('compares with chosen dates, which default to those of the usual comparison', async () => {
    const [from, to] = [day(45), day(35)].map((iso) => iso.slice(0, 10));
    const path = '/costs?window=30d&group=customer&compare=dates';
    expect((await person.get(path)).html).toMatch(/<input type="date" name="before-from" value="\d{4}-\d\d-\d\d"/);
    const { html } = await person.get(`${path}&before-from=${from}&before-to=${to}`);
    expect(html).toContain(`${from} to ${to}</th>`);
    expect(tableOf(html)).toContain('<data value="6.5">$6.50</data>');
  });

  it('is exported as one CSV document with all digits and without formulas', async () => {
    const csv = await person.get('/costs.csv?window=30d&group=customer,agent');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toMatch(
      /^attachment; filename="costs-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d.csv"$/,
    );
    const lines = csv.html.trim().split('\r\n');
    expect(lines[0]).toBe('customer,agent,cost_usd,events');
    expect(lines).toHaveLength(1 + 26);
    expect(lines.find((line) => line.includes('agent-12') && line.includes('cmd'))).toBe("'=cmd|0,agent-12,0.131,1");
    expect(csv.html).not.toMatch(/^=/m);
  });

  it('shows tokens at once if they are rolled up, and on request for customers and sessions', async () => {
    const head = (html: string) => tableOf(html).slice(0, tableOf(html).indexOf('</thead>'));
    const { html } = await person.get('/costs?window=30d&group=model');
    expect(head(html)).toMatch(/Input tokens<.*Output tokens<.*Cached tokens</);
    // 26 events of `usageEvent`, with 1,000 input tokens, 100 output tokens and no cached ones.
    expect(tableOf(html)).toContain('data-label="Input tokens">26,000</td>');
    expect(tableOf(html)).toContain('data-label="Output tokens">2,600</td>');
    // Not reported is not zero.
    expect(head(html)).not.toContain('Cached input');
    const bySession = await person.get('/costs?window=30d&group=session');
    expect(head(bySession.html)).not.toMatch(/tokens|Cached input/);
    const [, more = ''] = /<a href="([^"]+)#groups">Show tokens<\/a>/.exec(bySession.html) ?? [];
    expect(tableOf((await person.get(more.replaceAll('&amp;', '&'))).html)).toContain('26,000');
    const csv = await person.get('/costs.csv?window=30d&group=model');
    expect(csv.html.trim().split('\r\n')).toEqual([
      'model,cost_usd,events,input_tokens,output_tokens,cached_tokens,cached_input_percent',
      expect.stringMatching(/^gpt-4o,[\d.]+,26,26000,2600,,$/),
    ]);
  });

  it('lists costs by API key, each with its events, and refuses to filter them', async () => {
    const { status, html } = await person.get('/costs/keys?window=30d');
    expect(status).toBe(200);
    const total = amountsOf(tableOf(html));
    expect(total).toHaveLength(2);
    expect(total[0]).toBe(total[1]);
    const [, events = ''] = /<a href="(\/events\?[^"]+)">Default ingestion</.exec(html) ?? [];
    const listed = await person.get(events.replaceAll('&amp;', '&'));
    expect(listed.html).toContain('aria-label="Remove the filter API key: ');
    expect(listed.html).toContain('<h2 id="list">Highest cost</h2>');
    const csv = await person.get('/costs/keys.csv?window=30d');
    expect(csv.html.split('\r\n')[0]).toBe('api_key_id,name,cost_usd,events');
    expect(csv.html).toContain(`,Default ingestion,${plain(total[0]!)},26`);
    expect((await person.get('/costs?window=30d&group=key')).location).toBe('/costs/keys?window=30d');
    expect((await person.get('/costs?group=key&filter=agent:agent-1')).status).toBe(400);
  });

  it('reports what does not exist, and puts a typed filter into the URL', async () => {
    const unknown = await person.get('/costs?window=30d&group=model&filter=agent:nobody');
    expect(unknown.status).toBe(422);
    expect(unknown.html).toContain('No priced event has the agent_id &quot;nobody&quot;');
    expect((await person.get(`/costs?filter=customer:${randomUUID()}`)).html).toContain('No end user has this id');
    expect((await person.get('/costs?window=30d&group=model&add=agent&value=agent-1')).location).toBe(
      '/costs?window=30d&group=model&filter=agent:agent-1',
    );
    const empty = await person.get('/costs?from=2020-01-01&to=2020-01-02');
    expect(empty.html).toContain('None in this period');
    expect((await person.get('/costs?group=agent&then=model')).html).toContain('By agent and model');
  });
});
