/** Pages of the origins in `CORS_ORIGINS` can read the APIs. All other pages, and all writes of events, are refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, runningService } from '../support/running-service.ts';

const APP = 'https://app.example';
const OTHER = 'https://app.example.evil.example';

let service: RunningService;
beforeAll(async () => {
  service = await runningService({ CORS_ORIGINS: `http://localhost:5173, ${APP}` }, { jobs: false });
});
afterAll(() => service.stop());

const ask = (path: string, method: string, headers: Record<string, string>, body?: string) =>
  fetch(`${service.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });

/** The preflight that a browser sends before a request with custom headers. */
const preflight = (path: string, method: string, origin: string) =>
  ask(path, 'OPTIONS', {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });

const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-')));

describe('a preflight', () => {
  it.each([
    ['/graphql', 'POST', 'GET, POST'],
    ['/graphql?query=%7B__typename%7D', 'GET', 'GET, POST'],
    ['/v1/usage/summary?start_date=2026-01-01&end_date=2026-02-01', 'GET', 'GET'],
    ['/ext/v1/price', 'POST', 'POST'],
  ])('a preflight of a listed origin gets a response: %s %s', async (path, method, methods) => {
    const answer = await preflight(path, method, APP);
    expect([answer.status, answer.headers.get('vary'), await answer.text()]).toEqual([204, 'Origin', '']);
    const cors = corsOf(answer);
    expect(cors).toMatchObject({ 'access-control-allow-origin': APP, 'access-control-allow-methods': methods });
    expect(cors['access-control-allow-headers']?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'content-type']),
    );
    expect(Object.keys(cors)).not.toContain('access-control-allow-credentials');
  });

  it.each([
    ['/graphql', 'POST', OTHER],
    ['/graphql', 'POST', 'null'],
    ['/graphql', 'POST', 'http://app.example'],
    ['/graphql', 'DELETE', APP],
    ['/v1/usage/summary', 'GET', OTHER],
    ['/v1/usage-events', 'POST', APP],
    ['/v1/usage-events/batch', 'POST', APP],
    ['/v1/api-keys/1/rotate', 'POST', APP],
    ['/ext/v1/provider-responses', 'POST', APP],
    ['/ext/v1/litellm', 'POST', APP],
    ['/otlp/v1/traces', 'POST', APP],
    ['/sign-in', 'POST', APP],
  ])('allows nothing: %s %s from %s', async (path, method, origin) => {
    expect(corsOf(await preflight(path, method, origin))).toEqual({});
  });
});

describe('a request', () => {
  const json = { 'content-type': 'application/json', 'apollo-require-preflight': '1' };
  const key = () => ({ authorization: `Bearer ${service.firstRun.live_read_key}` });

  it.each([
    ['/graphql', 'POST', '{"query":"{ __typename }"}', 'Origin'],
    ['/graphql?query=%7B__typename%7D', 'GET', undefined, 'Accept, Authorization, Cookie, X-Organization-ID, Origin'],
    ['/v1/ping', 'GET', undefined, 'Origin'],
  ])('a request of a listed origin may be read: %s %s', async (path, method, body, vary) => {
    const answer = await ask(path, method, { ...json, ...key(), origin: APP }, body);
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, vary]);
    const cors = corsOf(answer);
    expect(Object.keys(cors).toSorted()).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
    expect(cors['access-control-allow-origin']).toBe(APP);
    expect(cors['access-control-expose-headers']).toContain('Retry-After');
  });

  it('a request of a listed origin may be read by its page even when it is refused', async () => {
    const answer = await ask('/v1/ping', 'GET', { origin: 'http://localhost:5173' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, 'http://localhost:5173']);
  });

  it('a request of another origin gets its response, which its page cannot read', async () => {
    const answer = await ask('/v1/ping', 'GET', { ...key(), origin: OTHER });
    expect([answer.status, answer.headers.get('vary'), corsOf(answer)]).toEqual([200, 'Origin', {}]);
  });
});
