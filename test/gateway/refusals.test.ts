/** No client mistake is reported as a server error: each has the status required by GraphQL over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, read } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const WINDOW = 'window(start: "2026-01-01", end: "2026-02-01")';

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

const outcome = ({ status, body, headers }: Answer): unknown[] => [
  status,
  body.errors?.[0]?.extensions?.code ?? null,
  headers.get('content-type')?.split(';', 1)[0],
];

const send = async (body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> =>
  read(
    await fetch(`${service.url}/graphql`, {
      method,
      headers: { 'content-type': JSON_TYPE, ...headers },
      ...(method === 'POST' ? { body } : {}),
    }),
  );

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const query = (text: string, more: object = {}) => JSON.stringify({ query: text, ...more });

describe.each([JSON_TYPE, RESPONSE_TYPE])('with Accept: %s', (accept) => {
  it.each([
    ['no credential', '{ apiKeys { id } }', () => ({}), 401, 'UNAUTHORIZED'],
    ['a credential that opens nothing', '{ caller { ok } }', () => bearer('sk_live_nothing'), 401, 'UNAUTHORIZED'],
    ['a key without the scope', '{ apiKeys { id } }', () => bearer(service.firstRun.live_read_key), 403, 'FORBIDDEN'],
    [
      'a key that introspects',
      '{ __schema { queryType { name } } }',
      () => bearer(service.firstRun.live_read_key),
      403,
      'FORBIDDEN',
    ],
    [
      'an operator who acts on no organization',
      '{ caller { ok } }',
      () => ({ ...bearer(service.firstRun.operator_token), 'x-organization-id': 'none' }),
      404,
      'NOT_FOUND',
    ],
    [
      'too complex a document',
      `{ ${WINDOW} { events(first: 100000) { nodes { id quantity metadata } } } }`,
      () => bearer(service.firstRun.live_read_key),
      400,
      'VALIDATION_ERROR',
    ],
    ['too long a document', `{ ${'__typename '.repeat(2_500)} }`, () => ({}), 400, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_name, text, headers, status, code) => {
    expect(outcome(await send(query(text), { accept, ...headers() }))).toEqual([status, code, accept]);
  });

  it.each([
    ['text that is not GraphQL', '{ caller { ok }', {}],
    ['a field that does not exist', '{ nothing }', {}],
    [
      'too many aliases',
      `{ ${Array.from({ length: 40 }, (_, index) => `a${index}: permissionsManifest { scopes { name } }`).join(' ')} }`,
      {},
    ],
    ['a missing variable', 'query Q($start: Instant!) { window(start: $start, end: "2026-02-01") { start } }', {}],
    [
      'a variable of the wrong type',
      'query Q($limit: Int!) { window(start: "2026-01-01", end: "2026-02-01") { events(first: $limit) { totalCount } } }',
      { variables: { limit: 'many' } },
    ],
  ])('%s is refused by the rules of its media type', async (_name, text, more) => {
    const answer = await send(query(text, more), { accept, ...bearer(service.firstRun.live_read_key) });
    expect(outcome(answer)).toEqual([accept === JSON_TYPE ? 200 : 400, 'VALIDATION_ERROR', accept]);
    expect('data' in answer.body).toBe(false);
  });

  it.each([
    ['an operation that the document lacks', query('query A { caller { ok } }', { operationName: 'B' })],
    ['one of two operations without a name', query('query A { caller { ok } } query B { caller { ok } }')],
    ['a list of operations', `[${query('{ caller { ok } }')}]`],
    ['no query', '{}'],
    ['a query that is not a string', '{"query":{"kind":"Document"}}'],
    ['no JSON', '{"query":'],
    ['no body', ''],
  ])('%s is a bad request', async (_name, body) => {
    expect(outcome(await send(body, { accept, ...bearer(service.firstRun.live_read_key) }))).toEqual([
      400,
      'VALIDATION_ERROR',
      accept,
    ]);
  });

  it('a body whose type is not JSON is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      expect(outcome(await send(query('{ caller { ok } }'), { accept, 'content-type': type }))).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        accept,
      ]);
    }
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('%s is not an allowed method', async (method) => {
    const answer = await send('', { accept }, method);
    expect([outcome(answer), answer.headers.get('allow')]).toEqual([[405, 'VALIDATION_ERROR', accept], 'GET, POST']);
  });

  it('a mutation by GET is not allowed either', async () => {
    const url = `${service.url}/graphql?query=${encodeURIComponent('mutation { __typename }')}`;
    const answer = await read(await fetch(url, { headers: { accept, 'apollo-require-preflight': 'yes' } }));
    expect([outcome(answer), answer.headers.get('allow')]).toEqual([[405, 'VALIDATION_ERROR', accept], 'POST']);
  });

  it('a failing field does not affect the data of others', async () => {
    const text = '{ permissionsManifest { presets { id } } endUser(externalId: "nobody") { id } }';
    expect(outcome(await send(query(text), { accept, ...bearer(service.firstRun.live_read_key) }))).toEqual([
      200,
      'NOT_FOUND',
      accept,
    ]);
  });

  it('every refusal has the correlation id for the log', async () => {
    for (const headers of [{}, bearer('sk_live_nothing')]) {
      const answer = await send(query('{ apiKeys { id } }'), { accept, ...headers });
      expect(answer.body.errors[0].extensions.correlationId).toBe(answer.headers.get('x-correlation-id'));
    }
  });
});

it('the gateway serves no vendor page to clients that accept any text', async () => {
  const answer = await read(
    await fetch(`${service.url}/graphql`, { headers: { accept: 'text/*', 'apollo-require-preflight': 'yes' } }),
  );
  expect(answer.status).toBe(406);
  expect(answer.text).not.toContain('<');
});
