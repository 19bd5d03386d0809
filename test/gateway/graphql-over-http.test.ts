import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, post, settle } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { signedIn } from '../support/visitor.ts';

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

describe('GraphQL over HTTP', () => {
  it.each(serverAudits({ url: () => `${service.url}/graphql` }).map((audit) => [audit.name, audit] as const))(
    '%s',
    async (_name, audit) => {
      const result = await audit.fn();
      expect(result.status === 'error' ? result.reason : null).toBeNull();
    },
  );

  it('treats an empty operationName of a body like a missing one', async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }', operationName: '' }),
    });
    expect([response.status, await response.json()]).toEqual([200, { data: { __typename: 'Query' } }]);
  });
});

describe('a browser', () => {
  it('gets GraphiQL, served by this service', async () => {
    const page = await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } });
    const html = await page.text();
    expect(page.headers.get('content-type')).toMatch(/text\/html/);
    expect(html).toMatch(/graphiql/i);
    expect(html).not.toMatch(/(src|href)="https?:\/\//);
  });
});

describe('a UI that polls', () => {
  const poll = (query: string, tag?: string, token = service.firstRun.live_read_key) =>
    fetch(`${service.url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: {
        authorization: `Bearer ${token}`,
        'apollo-require-preflight': 'true',
        ...(tag === undefined ? {} : { 'if-none-match': tag }),
      },
    });
  const query = '{ window(named: LAST_30_DAYS) { costs { totalCost } } }';

  it('gets 304 if nothing changed, and the figure if it did', async () => {
    const first = await poll(query);
    const tag = first.headers.get('etag')!;
    expect([first.status, (await first.json()).data.window.costs.totalCost]).toEqual([200, '0']);
    const second = await poll(query, tag);
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await poll(query, `"other", W/${tag}`)).status).toBe(304);
    expect((await poll('{ window(named: LAST_7_DAYS) { costs { eventCount } } }', tag)).status).toBe(200);
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ cost_override: '2.5' }),
    ]);
    await settle(service.url, service.firstRun.operator_token);
    const changed = await poll(query, tag);
    expect([changed.status, (await changed.json()).data.window.costs.totalCost]).toEqual([200, '2.5']);
  });

  it('gets no ETag for a POST', async () => {
    const { headers } = await graphql(service.url, service.firstRun.live_read_key, query);
    expect([headers.get('etag'), headers.get('cache-control')]).not.toContain('private, no-cache');
    expect(headers.get('etag')).toBeNull();
  });

  it('may cache its response in its own browser only, and for one caller', async () => {
    const first = await poll(query);
    const second = await poll(query, first.headers.get('etag')!);
    expect([first.status, second.status]).toEqual([200, 304]);
    for (const { headers } of [first, second])
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
        'private, no-cache',
        'Accept, Authorization, Cookie, X-Organization-ID',
      ]);
  });

  it('is refused without the right to the figure, whatever ETag it sends', async () => {
    const tag = (await poll(query)).headers.get('etag')!;
    expect((await poll(query, tag, 'sk_wrong')).status).toBe(401);
    const denied = await poll(query, tag, service.firstRun.live_ingest_key);
    expect([denied.headers.get('etag'), (await denied.json()).errors[0].extensions.code]).not.toContain(tag);
  });
});

it('a session counts only with a header that no form can send, and never for an opaque origin', async () => {
  const { cookies } = await signedIn(service.url, service.firstRun);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const statusWith = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ query: '{ apiKeys { id } }' });
    const sent = { 'content-type': 'application/json', cookie, ...headers };
    return (await fetch(`${service.url}/graphql`, { method: 'POST', headers: sent, body })).status;
  };
  expect(await statusWith({ 'x-requested-with': 'test' })).toBe(200);
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ 'x-requested-with': 'test', origin: 'null' })).toBe(401);
});

describe('limits and refusals', () => {
  const query = async (text: string, token: string | null = service.firstRun.live_read_key) =>
    (await graphql(service.url, token, text)).body;

  it('refuses what is too deep, too wide, aliased too often, or too large', async () => {
    const aliases = Array.from({ length: 40 }, (_, index) => `a${index}: permissionsManifest { scopes { name } }`).join(
      ' ',
    );
    const sessions = `{ session(sessionId: "s") { roots ${'{ children '.repeat(14)}{ spanId }${' }'.repeat(14)} } }`;
    for (const text of [
      `{ ${aliases} }`,
      sessions,
      '{ window(start: "2026-01-01", end: "2026-02-01") { events(first: 100000) { nodes { id quantity } } } }',
    ]) {
      const { errors } = await query(text);
      expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_ERROR');
    }
  });

  it('refuses fields without the scope early, and names the missing scope', async () => {
    const { errors } = await query(
      '{ window(start: "2026-01-01", end: "2026-02-01") { costsByModel { totalCost } } }',
      service.firstRun.live_ingest_key,
    );
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('costs:read'),
      extensions: { code: 'FORBIDDEN' },
    });
    const anonymous = await query(
      '{ window(start: "2026-01-01", end: "2026-02-01") { costsByModel { totalCost } } }',
      null,
    );
    expect(anonymous.errors[0].extensions.code).toBe('UNAUTHORIZED');
  });

  it('does not let API keys introspect, and hides internal fields from everybody', async () => {
    expect((await query('{ __schema { types { name } } }')).errors[0].extensions.code).toBe('FORBIDDEN');
    expect(
      (await query('{ window(start: "2026-01-01", end: "2026-02-01") { endUserCostLines } }')).errors[0].extensions
        .code,
    ).toBe('VALIDATION_ERROR');
    expect((await query('{ principal(kind: "bearer", token: "x") }')).errors[0].extensions.code).toBe(
      'VALIDATION_ERROR',
    );
  });

  it("refuses an invalid credential, and counts a key's request as a read", async () => {
    const answer = await graphql(service.url, 'sk_live_nothing', '{ caller { ok } }');
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED']);
    const counted = await graphql(service.url, service.firstRun.live_read_key, '{ caller { ok } }');
    expect(counted.headers.get('ratelimit-remaining')).not.toBeNull();
  });

  it('names an invalid date instead of failing', async () => {
    const { errors } = await query('{ window(start: "2026-02-30", end: "2026-03-01") { costsByModel { totalCost } } }');
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(/start/),
      extensions: { code: 'VALIDATION_ERROR' },
    });
  });

  it('names a missing variable, with the correlation id for the log', async () => {
    const answer = await graphql(
      service.url,
      service.firstRun.live_read_key,
      'query Q($start: Instant!) { window(start: $start, end: "2026-02-01") { start } }',
    );
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringContaining('$start'),
      extensions: { code: 'VALIDATION_ERROR', correlationId: answer.headers.get('x-correlation-id') },
    });
  });

  it('combines several subgraphs in one query', async () => {
    const { data, errors } = await query(`{ window(start: "2026-01-01", end: "2026-02-01") {
      costsByModel { totalCost } usageSummary { totalEvents } ledgerCost margin { total { totalCost totalRevenue } warnings { type } } } }`);
    expect(errors).toBeUndefined();
    expect(data.window).toMatchObject({
      costsByModel: { totalCost: '0' },
      usageSummary: { totalEvents: 0 },
      ledgerCost: '0',
      margin: { total: { totalCost: '0', totalRevenue: '0' } },
    });
  });

  it.each([
    ['2026-01-31', 'daily', 30],
    ['2026-01-31T00:00:00.000001Z', 'weekly', 5],
    ['2026-04-01T00:00:00.000001Z', 'monthly', 4],
  ])('compares costs and revenue over time in the same buckets, until %s', async (end, granularity, count) => {
    const { data, errors } = await query(`{ window(start: "2026-01-01", end: "${end}") { start end
      trend { granularity series { dataPoints { date } } } marginTrend { granularity dataPoints { date } } recognizedRevenue { dataPoints { date } } } }`);
    expect(errors).toBeUndefined();
    const { trend, marginTrend, recognizedRevenue } = data.window;
    expect([trend.granularity, marginTrend.granularity, marginTrend.dataPoints.length]).toEqual([
      granularity,
      granularity,
      count,
    ]);
    expect([marginTrend.dataPoints, recognizedRevenue.dataPoints]).toEqual([
      trend.series[0].dataPoints,
      trend.series[0].dataPoints,
    ]);
  });
});

describe('an operator', () => {
  it.each(['00000000-0000-4000-8000-000000000000', 'no-uuid', ''])(
    'an operator that names the organization %j, which does not exist, acts on no organization',
    async (organization) => {
      const answer = await graphql(
        service.url,
        service.firstRun.operator_token,
        '{ organizations { id } }',
        {},
        organization,
      );
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([404, 'NOT_FOUND']);
    },
  );
});
