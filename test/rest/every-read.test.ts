import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { projectText } from '../support/project-files.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const RANGE = 'start_date=2026-01-01&end_date=2026-02-01';

/** From the contract's own list: the scope of each documented GET and its statuses. */
const CONTRACT: Readonly<Record<string, readonly [scope: string | null, ...statuses: number[]]>> = {
  '/ping': [null, 401],
  '/cost-data/summary': ['costs:read', 400, 401, 403, 429],
  '/cost-data/by-provider': ['costs:read', 400, 401, 403, 429],
  '/cost-data/by-model': ['costs:read', 400, 401, 403, 429],
  '/cost-data/trend': ['costs:read', 400, 401, 403, 404, 429],
  '/end-user-costs/{externalId}/by-model': ['costs:read', 400, 401, 403, 404, 429],
  '/attribution-data/by-agent': ['costs:read', 400, 401, 403, 429],
  '/attribution-data/dimension-values': ['costs:read', 400, 401, 403, 429],
  '/dimension-data/cost-breakdown': ['costs:read', 400, 401, 403, 404, 429],
  '/usage/summary': ['usage:read', 400, 401, 403, 429],
  '/usage/events': ['usage:read', 400, 401, 403, 404, 429],
  '/margin-data/by-end-user': ['revenue:read', 400, 401, 403, 422, 429],
  '/rate-cards/estimation-table': ['costs:read', 401, 403, 429],
};

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly example?: string | number;
  readonly schema: {
    readonly type: string;
    readonly format?: string;
    readonly enum?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

interface Operation {
  readonly security: readonly { readonly apiKey?: readonly string[] }[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly servers?: unknown;
}

interface Read {
  /** The path with the path parameters of the route's example. */
  readonly path: string;
  /** The other parameters of the route's example. */
  readonly query: string;
  readonly scope: string | null;
  readonly dates: 'required' | 'optional' | null;
  readonly statuses: readonly number[];
  /** Refused queries, except those about dates, and the parameter that each concerns. */
  readonly faults: readonly (readonly [query: string, name: string])[];
}

/** Every GET of the document below `/v1`, so that one that is not listed here is tested too. */
const PATHS = (JSON.parse(projectText('schema/openapi.json')) as { paths: Record<string, { get?: Operation }> }).paths;
const READS: readonly Read[] = Object.entries(PATHS).flatMap(([template, { get: operation }]) =>
  operation && !operation.servers ? [readOf(template, operation)] : [],
);

function readOf(template: string, { security, parameters = [], responses }: Operation): Read {
  const start = parameters.find(({ name }) => name === 'start_date');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const query = queryOf(inQuery);
  const others = inQuery.filter(({ name }) => !/^(start|end)_date$/.test(name));
  return {
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      String(parameters.find((parameter) => parameter.name === name)?.example),
    ),
    query,
    scope: security[0]?.apiKey?.[0] ?? null,
    dates: start ? (start.required ? 'required' : 'optional') : null,
    statuses: Object.keys(responses).map(Number),
    faults: others.flatMap((parameter) => {
      const rest = queryOf(inQuery.filter((other) => other !== parameter));
      return errorsOf(parameter).map((fault) => [`${rest}&${fault}`, parameter.name] as const);
    }),
  };
}

function queryOf(parameters: readonly Parameter[]): string {
  return parameters
    .filter(({ example }) => example !== undefined)
    .map(({ name, example }) => `${name}=${example}`)
    .join('&');
}

/** Values that no parameter of this kind accepts. */
function errorsOf({ name, required, schema }: Parameter): string[] {
  const values = (all: readonly (string | number)[]) => all.map((value) => `${name}=${value}`);
  const always = [`${name}=`, `${name}=5&${name}=5`, ...(required ? [''] : [])];
  if (schema.type === 'integer')
    return [...always, ...values([schema.minimum! - 1, schema.maximum! + 1, '1.5', 'ten', '1e2', '99999999999'])];
  if (schema.enum)
    return [
      ...always,
      ...values([
        'yesterday',
        schema.enum[0]!.toUpperCase(),
        'toString',
        `${schema.enum[0]}&${name}=${schema.enum[0]}`,
      ]),
    ];
  return [...always, ...values(['a%00', 'x'.repeat(256), ...(schema.format === 'uuid' ? ['u1'] : [])])];
}

const DATE_FAULTS = [
  'start_date=&end_date=2026-02-01',
  'start_date=2026-13-01&end_date=2027-01-01',
  'start_date=2026-02-30&end_date=2026-03-01',
  'start_date=yesterday&end_date=2026-02-01',
  'start_date=2026-02-01&end_date=2026-01-01',
  'start_date=2026-01-01&end_date=2026-01-01',
  'start_date=2026-01-01&start_date=2026-01-02&end_date=2026-02-01',
  'start_date=1969-12-31&end_date=1970-02-01',
  'start_date=1767225600&end_date=2026-02-01',
  'start_date=2026-01-01&end_date=2126-01-02',
  'start_date=2026-01-01T25:00:00Z&end_date=2026-02-01',
  'start_date=2026-01-01%00&end_date=2026-02-01',
];

let service: RunningService;
let limited: RunningService;
let readKey: string;

beforeAll(async () => {
  [service, limited] = [await sharedService(), await runningService({ READ_RATE_LIMIT: '1;w=900' })];
  readKey = service.firstRun.live_read_key;
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  await graphql(
    service.url,
    operator,
    'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    {},
    organization,
  );
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, usageEvent({ user_id: 'customer-7' }));
  await settle(service.url, operator);
});
afterAll(async () => {
  await service.stop();
  await limited.stop();
});

describe.each(READS)('GET $path', ({ path, query, scope, dates, statuses, faults }) => {
  it('returns 200 with the headers of its bucket', async () => {
    const { status, headers, text } = await get(service.url, `${path}?${query}`, readKey);
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^\{/) });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    for (const name of ['limit', 'remaining', 'reset', 'policy'])
      expect(headers.get(`ratelimit-${name}`)).not.toBeNull();
    expect(headers.get('retry-after')).toBeNull();
  });

  it('returns 401 without a valid key', async () => {
    expectEnvelope(await get(service.url, `${path}?${query}`, null), 401, 'UNAUTHORIZED');
    expectEnvelope(await get(service.url, `${path}?${query}`, 'sk_live_no'), 401, 'UNAUTHORIZED');
    expectEnvelope(
      await get(service.url, `${path}?${query}`, null, { authorization: `Basic ${readKey}` }),
      401,
      'UNAUTHORIZED',
    );
  });

  it.each(scope === null ? [] : [scope])('returns 403 to a key without %s', async (missing) => {
    expectEnvelope(
      await get(service.url, `${path}?${query}`, service.firstRun.live_ingest_key),
      403,
      'FORBIDDEN',
      new RegExp(missing),
    );
  });

  it.each(statuses.filter((status) => status === 429))(
    'returns %d beyond the limit, shared with every other read',
    async () => {
      await get(limited.url, '/ping', limited.firstRun.live_read_key);
      const answer = await get(limited.url, `${path}?${query}`, limited.firstRun.live_read_key);
      expectEnvelope(answer, 429, 'RATE_LIMIT_EXCEEDED');
      expect(answer.headers.get('ratelimit-policy')).toBe('1;w=900');
      expect(answer.headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it.each(dates === null ? [] : DATE_FAULTS)('returns 400 to %s', async (fault) => {
    const others = query
      .split('&')
      .filter((pair) => !/^(start|end)_date=/.test(pair))
      .join('&');
    expectEnvelope(await get(service.url, `${path}?${others}&${fault}`, readKey), 400, 'VALIDATION_ERROR', /_date/);
  });

  it.each(dates === 'required' ? [dates] : [])('returns 400 if a date is missing', async () => {
    expectEnvelope(
      await get(service.url, `${path}?end_date=2026-02-01`, readKey),
      400,
      'VALIDATION_ERROR',
      /start_date/,
    );
    expectEnvelope(
      await get(service.url, `${path}?start_date=2026-02-01`, readKey),
      400,
      'VALIDATION_ERROR',
      /end_date/,
    );
  });

  it.each(dates === 'optional' ? [dates] : [])('returns 200 if the dates are left out', async () => {
    const others = query
      .split('&')
      .filter((pair) => !/^(start|end)_date=/.test(pair))
      .join('&');
    expect((await get(service.url, `${path}?${others}`, readKey)).status).toBe(200);
  });

  it.each(faults)('returns 400 to %s and names %s', async (fault, name) => {
    expectEnvelope(await get(service.url, `${path}?${fault}`, readKey), 400, 'VALIDATION_ERROR', new RegExp(name));
  });
});

describe('the document', () => {
  it.each(Object.entries(CONTRACT))('describes %s as the contract does', (template, [scope, ...statuses]) => {
    const read = readOf(template, PATHS[template]!.get!);
    expect(read.scope).toBe(scope);
    expect(read.statuses).toEqual(expect.arrayContaining(statuses));
  });

  it('is the one that the service returns', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths)).toEqual(Object.keys(PATHS));
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
    '/attribution-data/by-dimension',
    '/dimension-data/definitions',
    '/end-user-costs/customer-7/summary',
    '/end-user-costs/customer-7/trend',
    '/cost-data/by-end-user',
    '/attribution-data/sessions/s1/tree',
  ])('refers from %s, which the contract only names, to GraphQL', async (path) => {
    expectEnvelope(await get(service.url, path, readKey), 404, 'NOT_FOUND', /GraphQL/);
  });

  it('is in the envelope for paths and methods that do not exist', async () => {
    expectEnvelope(await get(service.url, '/nothing', readKey), 404, 'NOT_FOUND');
    expectEnvelope(await post(service.url, '/cost-data/summary', readKey, {}), 404, 'NOT_FOUND');
    expectEnvelope(await get(service.url, '/end-user-costs/%E0%A4%A/by-model', readKey), 400, 'VALIDATION_ERROR');
  });
});
