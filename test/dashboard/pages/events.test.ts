/** Event list with filters, single events and a session: the pages show the same as the graph. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { graphql, post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;
let ids: readonly string[];

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const events = [
    usageEvent({
      user_id: 'ada & co',
      model: 'claude-sonnet-4-5',
      provider: 'anthropic',
      agent_id: 'support',
      input_tokens: 2000,
      output_tokens: 800,
      session_id: 'chat <1>',
      span_id: 'root',
      event_invoked_at: at(9),
      metadata: { team: 'red' },
    }),
    usageEvent({
      user_id: 'ada & co',
      cost_override: '0.25',
      session_id: 'chat <1>',
      span_id: 'leaf',
      parent_span_id: 'root',
      event_invoked_at: at(8),
    }),
    usageEvent({ user_id: 'ben', cost_override: '2.5', event_invoked_at: at(7) }),
    usageEvent({ model: 'nobody-knows-it', event_invoked_at: at(6) }),
  ];
  const { body } = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  ids = body.results.map((result: { event_id: string }) => result.event_id);
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

const customer = (externalId: string) => endUserId(service.firstRun.organization_id, externalId);
/** The events of a page's table, in order. */
const listed = (markup: string) => [...markup.matchAll(/href="\/events\/([0-9a-f-]{36})"/g)].map(([, id]) => id);

it('the newest events come first, and filters and order are in the URL', async () => {
  const [first, second, third, fourth] = ids;
  const all = await person.get('/events');
  expect(listed(all.html)).toEqual([fourth, third, second, first]);
  expect(all.html).toContain('4 events in this period');
  expect(all.html).not.toContain('user_id');
  expect(listed((await person.get('/events?sort=-cost')).html)).toEqual([third, second, first]);
  expect(listed((await person.get('/events?filter=agent:support')).html)).toEqual([first]);
  expect(listed((await person.get('/events?filter=dimension.team:red')).html)).toEqual([first]);
  expect(listed((await person.get('/events?filter=status:pending_rate_card')).html)).toEqual([fourth]);
  expect(listed((await person.get('/events?filter=min:0.2&filter=customer:none')).html)).toEqual([]);
  const ofAda = await person.get(`/events?filter=customer:${customer('ada & co')}&sort=-cost`);
  expect(listed(ofAda.html)).toEqual([second, first]);
  expect(ofAda.html).toContain('Customer: <b>ada &amp; co</b>');
});

it('a typed filter becomes part of the URL', async () => {
  const { status, location } = await person.get('/events?window=7d&add=agent&value=support');
  expect(status).toBe(303);
  expect(location).toBe('/events?window=7d&filter=agent%3Asupport');
});

it.each(['/events?sort=odd', '/events?filter=odd:1', '/events?from=2026-02-31&to=2026-03-01'])(
  '%s is refused',
  async (path) => {
    expect((await person.get(path)).status).toBe(400);
  },
);

it.each([
  '/events?filter=status:odd',
  '/events?filter=status:failed&sort=-cost',
  '/events?filter=key:odd',
  '/events?after=odd',
])('%s shows the reason on its page', async (path) => {
  const { status, html } = await person.get(path);
  expect(status).toBe(422);
  expect(html).toContain('role="alert"');
});

it('an event shows its sender and every step of its cost', async () => {
  const { html } = await person.get(`/events/${ids[0]}`);
  // 2,000 input tokens at $3 and 800 output tokens at $15 a million.
  expect(html).toContain('<dt>Total</dt><dd><b>0.018</b> USD</dd>');
  expect(html).toMatch(
    /<td class="number" data-label="Quantity">2,000<\/td><td class="number" data-label="Rate">3 per million/,
  );
  expect(html).toContain('>ada &amp; co</a>');
  expect(html).toContain('chat &lt;1&gt;');
  expect(html).toMatch(/<dt>Sent with<\/dt>\s*<dd><a href="\/events\?filter=key%3A[0-9a-f-]{36}">[^<]+<\/a>/);
  expect(html).toContain('&quot;team&quot;:&quot;red&quot;');
  const waiting = await person.get(`/events/${ids[3]}`);
  expect(waiting.html).toContain('No cost: waiting for a rate.');
  expect((await person.get('/events/00000000-0000-7000-8000-000000000000')).status).toBe(404);
  expect((await person.get('/events/odd')).status).toBe(404);
});

it('a session is a tree whose costs roll up, as in the graph', async () => {
  const { html } = await person.get('/events/session?id=chat+%3C1%3E');
  const { body } = await graphql(
    service.url,
    service.firstRun.live_read_key,
    '{ session(sessionId: "chat <1>") { totalCost spans { spanId depth totalCost } events { nodes { eventId } } } }',
  );
  expect(body.data.session).toEqual({
    totalCost: '0.268',
    spans: [
      { spanId: 'root', depth: 0, totalCost: '0.268' },
      { spanId: 'leaf', depth: 1, totalCost: '0.25' },
    ],
    events: { nodes: [{ eventId: ids[1] }, { eventId: ids[0] }] },
  });
  expect(html).toContain('<data value="0.268">');
  expect(html).toContain('class="depth-1"');
  expect(listed(html)).toEqual([ids[1], ids[0]]);
  expect((await person.get('/events/session?id=none')).status).toBe(404);
});

it('all events are available as CSV, with every digit', async () => {
  const { html: csv, headers } = await person.get('/events.csv?sort=-cost');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...rows] = csv.trimEnd().split('\r\n');
  expect(head).toContain('id,event_timestamp,status,model');
  expect(rows.map((row) => [row.split(',')[0], row.split(',')[11]])).toEqual([
    [ids[2], '2.5'],
    [ids[1], '0.25'],
    [ids[0], '0.018'],
  ]);
});

it('the rates pages show current prices of models, and every version of a card with its changes', async () => {
  const operate = (document: string) =>
    graphql(service.url, service.firstRun.operator_token, document, {}, service.firstRun.organization_id);
  const set = (input: string, from: string) =>
    operate(
      `mutation { rateSet(input: { model: "acme-1", input: "${input}", output: "4", effectiveFrom: ${from} }) { rate { rateCardId } userErrors { message code } } }`,
    );
  const { body } = await set('1', '"2026-01-01"');
  await set('2.5', '"2026-02-01"');
  const { rateCardId } = body.data.rateSet.rate;
  const { html } = await person.get('/rates?own=yes');
  expect(html).toContain(`<a href="/rates/cards/${rateCardId}">acme-1`);
  expect(html).toContain('1 event is waiting for a price');
  expect(html).toContain('href="/rates.csv?own=yes" download');
  const csv = await person.get('/rates.csv?own=yes');
  expect(csv.html.trimEnd().split('\r\n')).toEqual([
    'rate_card_id,model,provider,negotiated,since,unit,for,context,above_input_tokens,usd,factor',
    `${rateCardId},acme-1,,yes,2026-02-01T00:00:00.000Z,per million tokens,input,,,2.5,`,
    `${rateCardId},acme-1,,yes,2026-02-01T00:00:00.000Z,per million tokens,output,,,4,`,
  ]);
  const listed = await person.get('/rates.csv?provider=anthropic');
  expect(listed.html).toMatch(/^[^,]+,claude-sonnet-4-5,anthropic,no,[^,]*,per million tokens,all,tier=batch,,,0.5$/m);
  const card = await person.get(`/rates/cards/${rateCardId}`);
  expect(card.html).toContain('was 1</td>');
  expect([...card.html.matchAll(/<section class="panel"/g)]).toHaveLength(2);
  expect((await person.get('/rates/cards/00000000-0000-7000-8000-000000000000')).status).toBe(404);
  expect((await person.get('/rates?after=odd')).status).toBe(422);
  const all = await graphql(
    service.url,
    service.firstRun.live_read_key,
    `{
      own: rateCards(filter: { isNegotiated: true }) {
        totalCount nodes { modelSlug isNegotiated isPrefix inForce { prices { name price } } versions { effectiveFrom effectiveTo } }
      }
      found: rateCards(filter: { search: "CLAUDE-sonnet-4-5", provider: "anthropic" }, first: 1) { totalCount nodes { modelSlug isNegotiated } }
      usageEvent(eventId: "${ids[0]}") { explanation { entries { rateCard { modelSlug } } } }
    }`,
  );
  expect(all.body.data).toEqual({
    own: {
      totalCount: 1,
      nodes: [
        {
          modelSlug: 'acme-1',
          isNegotiated: true,
          isPrefix: true,
          inForce: {
            prices: [
              { name: 'input', price: '2.5' },
              { name: 'output', price: '4' },
            ],
          },
          versions: [
            { effectiveFrom: '2026-02-01T00:00:00.000Z', effectiveTo: null },
            { effectiveFrom: '2026-01-01T00:00:00.000Z', effectiveTo: '2026-02-01T00:00:00.000Z' },
          ],
        },
      ],
    },
    found: { totalCount: expect.any(Number), nodes: [{ modelSlug: 'claude-sonnet-4-5', isNegotiated: false }] },
    usageEvent: { explanation: { entries: [{ rateCard: { modelSlug: 'claude-sonnet-4-5' } }] } },
  });
});

it('a chart marks rate changes of its models on its time axis', async () => {
  const { firstRun } = service;
  const sent = await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, [
    usageEvent({ model: 'acme-1-mini', provider: 'acme', event_invoked_at: '2026-01-20T00:00:00Z' }),
  ]);
  expect(sent.body).toMatchObject({ accepted: 1 });
  await settle(service.url, firstRun.operator_token);
  const cards = async (filter: string) => {
    const { body } = await graphql(
      service.url,
      firstRun.live_read_key,
      `{ rateCards(filter: { ${filter} }) { totalCount nodes { rateCardId modelSlug } } }`,
    );
    return body.data.rateCards;
  };
  const [own] = (await cards('isNegotiated: true')).nodes;
  const february = 'effectiveFrom: "2026-02-01T00:00:00Z", effectiveBefore: "2026-03-01T00:00:00Z"';
  expect(await cards(`models: ["ACME-1-mini", "gpt-4o"], ${february}`)).toEqual({ totalCount: 1, nodes: [own] });
  expect(await cards(`models: ["other"], ${february}`)).toEqual({ totalCount: 0, nodes: [] });
  expect((await cards('models: ["acme-1"], effectiveFrom: "2026-02-01T00:00:00.001Z"')).totalCount).toBe(0);
  expect((await cards('models: ["acme-1"], effectiveBefore: "2026-01-01T00:00:00Z"')).totalCount).toBe(0);
  for (const path of ['/costs', '/margins']) {
    const { html } = await person.get(`${path}?from=2026-01-15&to=2026-02-14`);
    expect(html).toContain(`Other rates: <a href="/rates/cards/${own.rateCardId}">acme-1…</a>`);
    expect(html).toContain('class="mark-line"');
    expect(html).toContain('<th scope="col">Marks</th>');
  }
  expect((await person.get('/costs?from=2026-01-15&to=2026-01-31')).html).not.toContain('class="mark-line"');

  const { body: repriced } = await graphql(
    service.url,
    firstRun.operator_token,
    'mutation { repricingRun(input: { start: "2026-01-10T00:00:00Z", end: "2026-01-25T00:00:00Z", model: "acme-1-mini" }) { repricing { repricingId } userErrors { message code } } }',
    {},
    firstRun.organization_id,
  );
  expect((await person.get('/costs?from=2026-01-15&to=2026-01-31')).html).toMatch(
    /Repriced: <a href="\/costs\?from=2026-01-15T00:00Z&amp;to=2026-01-25T00:00Z">acme-1-mini on \d+ \w+ \d{4}<\/a>/,
  );
  const periods = (start: string, end: string) =>
    graphql(
      service.url,
      firstRun.live_read_key,
      `{ repricedPeriods(start: "${start}", end: "${end}") { id model reverts start end } }`,
    );
  expect((await periods('2026-01-24T23:59:59Z', '2026-02-01T00:00:00Z')).body.data.repricedPeriods).toEqual([
    {
      id: repriced.data.repricingRun.repricing.repricingId,
      model: 'acme-1-mini',
      reverts: null,
      start: '2026-01-10T00:00:00.000Z',
      end: '2026-01-25T00:00:00.000Z',
    },
  ]);
  expect((await periods('2026-01-25T00:00:00Z', '2026-02-01T00:00:00Z')).body.data.repricedPeriods).toEqual([]);
});

// Last, because the period stays chosen.
it('an empty list is announced once', async () => {
  const { html } = await person.get('/events?from=2026-01-01&to=2026-01-02');
  expect(html.match(/in this period/g)).toEqual(['in this period']);
  expect(html).toContain('None in this period.');
});
