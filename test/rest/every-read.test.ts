import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const RANGE = 'start_date=2026-01-01&end_date=2026-02-01';

/** Every documented GET with the parameters it needs, the statuses of the contract's list, and its other parameters. */
const READS: readonly { path: string; query: string; scope: string | null; dates: 'required' | 'optional' | null; statuses: readonly number[]; faults?: readonly string[] }[] = [
  { path: '/ping', query: '', scope: null, dates: null, statuses: [401] },
  {
    path: '/cost-data/summary', query: '', scope: 'costs:read', dates: null, statuses: [400, 401, 403, 429],
    faults: ['time_window=yesterday', 'time_window=', 'time_window=ytd&time_window=ytd', 'time_window=YTD', 'time_window=toString'],
  },
  { path: '/cost-data/by-provider', query: RANGE, scope: 'costs:read', dates: 'optional', statuses: [400, 401, 403, 429] },
  { path: '/cost-data/by-model', query: RANGE, scope: 'costs:read', dates: 'optional', statuses: [400, 401, 403, 429] },
  {
    path: '/cost-data/trend', query: RANGE, scope: 'costs:read', dates: 'required', statuses: [400, 401, 403, 404, 429],
    faults: ['end_user_id=u1', 'end_user_id=', 'dimension_key=', 'dimension_key=a&dimension_key=b', 'dimension_key=a%00'],
  },
  { path: '/end-user-costs/u1/by-model', query: RANGE, scope: 'costs:read', dates: 'required', statuses: [400, 401, 403, 404, 429] },
  { path: '/attribution-data/by-agent', query: RANGE, scope: 'costs:read', dates: 'optional', statuses: [400, 401, 403, 429] },
  {
    path: '/attribution-data/dimension-values', query: `dimension=agent_id&${RANGE}`, scope: 'costs:read', dates: 'optional', statuses: [400, 401, 403, 429],
    faults: ['dimension=b'],
  },
  {
    path: '/dimension-data/cost-breakdown', query: `dimension_key=team&${RANGE}`, scope: 'costs:read', dates: 'optional', statuses: [400, 401, 403, 404, 429],
    faults: ['dimension_key=b'],
  },
  { path: '/usage/summary', query: RANGE, scope: 'usage:read', dates: 'required', statuses: [400, 401, 403, 429] },
  {
    path: '/usage/events', query: RANGE, scope: 'usage:read', dates: 'required', statuses: [400, 401, 403, 404, 429],
    faults: [
      'limit=0', 'limit=-1', 'limit=1001', 'limit=1.5', 'limit=ten', 'limit=1e2', 'limit=', 'limit=5&limit=5', 'offset=-1', 'offset=0.5', 'offset=',
      'offset=99999999999', 'metric_name=', 'subscription_id=', 'metric_name=a&metric_name=b',
    ],
  },
  { path: '/margin-data/by-end-user', query: RANGE, scope: 'revenue:read', dates: 'required', statuses: [400, 401, 403, 422, 429] },
  { path: '/rate-cards/estimation-table', query: '', scope: 'costs:read', dates: null, statuses: [401, 403, 429] },
];

const DATE_FAULTS = [
  'start_date=&end_date=2026-02-01', 'start_date=2026-13-01&end_date=2027-01-01', 'start_date=2026-02-30&end_date=2026-03-01',
  'start_date=yesterday&end_date=2026-02-01', 'start_date=2026-02-01&end_date=2026-01-01', 'start_date=2026-01-01&end_date=2026-01-01',
  'start_date=2026-01-01&start_date=2026-01-02&end_date=2026-02-01', 'start_date=1969-12-31&end_date=1970-02-01', 'start_date=1767225600&end_date=2026-02-01',
  'start_date=2026-01-01&end_date=2126-01-02', 'start_date=2026-01-01T25:00:00Z&end_date=2026-02-01', 'start_date=2026-01-01%00&end_date=2026-02-01',
];

let service: RunningService;
let limited: RunningService;
let readKey: string;

beforeAll(async () => {
  [service, limited] = [await runningService(), await runningService({ READ_RATE_LIMIT: '1;w=900' })];
  readKey = service.firstRun.live_read_key;
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  await graphql(service.url, operator, 'mutation { registerDimension(key: "team") { key } }', {}, organization);
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, usageEvent({ user_id: 'u1' }));
  await settle(service.url, operator);
});
afterAll(async () => {
  await service.stop();
  await limited.stop();
});

describe.each(READS)('GET $path', ({ path, query, scope, dates, statuses, faults = [] }) => {
  it('answers 200 with the headers of its bucket', async () => {
    const { status, headers, text } = await get(service.url, `${path}?${query}`, readKey);
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^\{/) });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    for (const name of ['limit', 'remaining', 'reset', 'policy']) expect(headers.get(`ratelimit-${name}`)).not.toBeNull();
    expect(headers.get('retry-after')).toBeNull();
  });

  it('answers 401 without a good key', async () => {
    expect(statuses).toContain(401);
    expectEnvelope(await get(service.url, `${path}?${query}`, null), 401, 'UNAUTHORIZED');
    expectEnvelope(await get(service.url, `${path}?${query}`, 'sk_live_no'), 401, 'UNAUTHORIZED');
    expectEnvelope(await get(service.url, `${path}?${query}`, null, { authorization: `Basic ${readKey}` }), 401, 'UNAUTHORIZED');
  });

  it.runIf(scope !== null)('answers 403 to a key without its scope', async () => {
    expectEnvelope(await get(service.url, `${path}?${query}`, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', new RegExp(scope ?? ''));
  });

  it.runIf(statuses.includes(429))('answers 429 past the limit, shared with every other read', async () => {
    await get(limited.url, '/ping', limited.firstRun.live_read_key);
    const answer = await get(limited.url, `${path}?${query}`, limited.firstRun.live_read_key);
    expectEnvelope(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('ratelimit-policy')).toBe('1;w=900');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each(dates === null ? [] : DATE_FAULTS)('answers 400 to %s', async (fault) => {
    const others = query.split('&').filter((pair) => !/^(start|end)_date=/.test(pair)).join('&');
    expectEnvelope(await get(service.url, `${path}?${others}&${fault}`, readKey), 400, 'VALIDATION_ERROR', /_date/);
  });

  it.runIf(dates === 'required')('answers 400 when a date is missing', async () => {
    expectEnvelope(await get(service.url, `${path}?end_date=2026-02-01`, readKey), 400, 'VALIDATION_ERROR', /start_date/);
    expectEnvelope(await get(service.url, `${path}?start_date=2026-02-01`, readKey), 400, 'VALIDATION_ERROR', /end_date/);
  });

  it.runIf(dates === 'optional')('answers 200 when the dates are left out', async () => {
    const others = query.split('&').filter((pair) => !/^(start|end)_date=/.test(pair)).join('&');
    expect((await get(service.url, `${path}?${others}`, readKey)).status).toBe(200);
  });

  it.each(faults)('answers 400 to %s and names the parameter', async (fault) => {
    const name = fault.split('=')[0] ?? '';
    expectEnvelope(await get(service.url, `${path}?${query}&${fault}`, readKey), 400, 'VALIDATION_ERROR', new RegExp(name));
  });
});

describe('404', () => {
  it.each([
    ['/end-user-costs/nobody/by-model', RANGE, /end user|externalId/i],
    ['/dimension-data/cost-breakdown', `dimension_key=unknown&${RANGE}`, /dimension_key/],
    ['/cost-data/trend', `dimension_key=unknown&${RANGE}`, /dimension_key/],
    ['/cost-data/trend', `end_user_id=00000000-0000-4000-8000-000000000000&${RANGE}`, /end_user_id/],
    ['/usage/events', `subscription_id=sub_unknown&${RANGE}`, /subscription_id/],
  ])('names what is unknown on %s?%s', async (path, query, message) => {
    expectEnvelope(await get(service.url, `${path}?${query}`, readKey), 404, 'NOT_FOUND', message);
  });

  it.each([
    '/attribution-data/by-dimension', '/dimension-data/definitions', '/end-user-costs/u1/summary', '/end-user-costs/u1/trend', '/cost-data/by-end-user',
    '/attribution-data/sessions/s1/tree',
  ])('points from %s, which the contract only names, to GraphQL', async (path) => {
    expectEnvelope(await get(service.url, path, readKey), 404, 'NOT_FOUND', /GraphQL/);
  });

  it('stands in the envelope for paths and methods that do not exist', async () => {
    expectEnvelope(await get(service.url, '/nothing', readKey), 404, 'NOT_FOUND');
    expectEnvelope(await post(service.url, '/cost-data/summary', readKey, {}), 404, 'NOT_FOUND');
    expectEnvelope(await get(service.url, '/end-user-costs/%E0%A4%A/by-model', readKey), 400, 'VALIDATION_ERROR');
  });
});
