/** Capabilities that the contract only mentions are available in GraphQL, complete and bounded. */
import { buildSchema, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { projectText } from '../support/project-files.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { usageEvent } from '../support/usage-event.ts';

const SCHEMA = buildSchema(projectText('schema/api.graphql'));
const WINDOW = 'window(start: "2026-03-01", end: "2026-03-02")';
const event = (cost: string, more: object) =>
  usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', cost_override: cost, ...more });
const trial = (variant: string) => ({ experiment: { experiment_id: 'prompt', variant } });
const span = (minute: number, span_id: string | undefined, parent_span_id: string | undefined, session_id = 's1') => ({
  session_id,
  session_type: 'chat',
  span_id,
  parent_span_id,
  event_invoked_at: `2026-03-01T10:0${minute}:00Z`,
});

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      event('1', { user_id: 'ann', metadata: { team: 'red' }, ...trial('a') }),
      event('2', { user_id: 'ann', metadata: { team: 'blue' }, ...trial('b') }),
      event('4', { user_id: 'bob', metadata: { team: 'red' }, ...trial('b') }),
      event('8', { metadata: { team: 'red' } }),
      event('0.1', { model: 'root', ...span(0, 'root', undefined) }),
      event('0.02', { model: 'child', ...span(1, 'child', 'root') }),
      event('0.003', { model: 'again', ...span(2, 'child', 'root') }),
      event('0.0004', { ...span(3, undefined, 'child') }),
      event('0.00005', { ...span(4, 'lost', 'never sent') }),
    ],
    ['dimensionRegister(input: { key: "team", label: "Team" }) { dimension { key } }'],
  );
  await post(
    service.url,
    '/usage-events',
    service.firstRun.test_ingest_key,
    usageEvent({ session_id: 'tested', user_id: 'tester' }),
  );
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

const answer = async (document: string, key = service.firstRun.live_read_key) =>
  (await graphql(service.url, key, document)).body;
const codeOf = async (document: string, key?: string): Promise<unknown> =>
  (await answer(document, key)).errors?.[0]?.extensions?.code ?? null;

async function keyWith(scopes: string): Promise<string> {
  return (
    await service.operate(
      `mutation { apiKeyCreate(input: { name: "k", environment: "live", scopes: ${scopes} }) { createdApiKey { secret } userErrors { message } } }`,
    )
  ).apiKeyCreate.createdApiKey.secret;
}

describe('paths that the contract only names', () => {
  it.each([
    '/attribution-data/by-dimension',
    '/dimension-data/definitions',
    '/end-user-costs/ann/summary',
    '/end-user-costs/ann/trend',
    '/cost-data/by-end-user',
    '/attribution-data/sessions/s1/tree',
    '/permissions-manifest',
  ])('%s names a field that exists and describes it', async (path) => {
    const { message } = (await get(service.url, path, service.firstRun.live_read_key)).body.error;
    const [, type = '', field = ''] = /(\w+)\.(\w+)/.exec(message) ?? [];
    const definition = SCHEMA.getType(type);
    expect(isObjectType(definition) ? definition.getFields()[field]?.description : null, message).toMatch(
      /^[A-Z].*\.$/,
    );
  });
});

describe('costs as the caller selects them', () => {
  it('include groups, agents, pages and trends in one document', async () => {
    const { data, errors } = await answer(`{
      ${WINDOW} {
        why: costs(filter: { endUser: "ann", dimensions: [{ key: "team", value: "red" }] }, groupBy: [VARIANT]) {
          nodes { values { key value } totalCost eventCount percentOfTotal } totalCost totalCount
        }
        who: costs(groupBy: [END_USER], groupByDimensions: ["team"], first: 2) {
          nodes { values { value endUser { externalId costSummary(start: "2026-03-01", end: "2026-03-02") { totalCost } } } totalCost }
          pageInfo { hasNextPage }
        }
        hourly: costTrend(granularity: HOUR, by: END_USER, series: 1) { series { isRest value { value } points { start cost } } }
        margin { endUsers(first: 1) { nodes { endUser { costSummary(start: "2026-03-01", end: "2026-03-02") { totalCost } } } } }
      }
      endUser(externalId: "ann") {
        overTime(granularity: DAY, start: "2026-03-01", end: "2026-03-03") {
          costs { start cost eventCount } margins { start revenue cost marginAmount }
        }
      }
    }`);
    expect(errors).toBeUndefined();
    const { why, who, hourly, margin } = data.window;
    expect(why).toEqual({
      nodes: [{ values: [{ key: 'variant', value: 'a' }], totalCost: '1', eventCount: 1, percentOfTotal: 100 }],
      totalCost: '1',
      totalCount: 1,
    });
    expect(who).toEqual({
      nodes: [
        {
          values: [
            { value: 'Unassigned', endUser: null },
            { value: 'red', endUser: null },
          ],
          totalCost: '8',
        },
        {
          values: [
            { value: 'bob', endUser: { externalId: 'bob', costSummary: { totalCost: '4' } } },
            { value: 'red', endUser: null },
          ],
          totalCost: '4',
        },
      ],
      pageInfo: { hasNextPage: true },
    });
    expect(hourly.series.map(({ isRest, value }: Record<string, any>) => [isRest, value?.value ?? null])).toEqual([
      [false, 'Unassigned'],
      [true, null],
    ]);
    expect(hourly.series[1].points[10]).toEqual({ start: '2026-03-01T10:00:00.000Z', cost: '7' });
    expect(margin.endUsers.nodes).toEqual([{ endUser: { costSummary: { totalCost: '4' } } }]);
    expect(data.endUser.overTime).toEqual({
      costs: [
        { start: '2026-03-01T00:00:00.000Z', cost: '3', eventCount: 2 },
        { start: '2026-03-02T00:00:00.000Z', cost: '0', eventCount: 0 },
      ],
      margins: [
        { start: '2026-03-01T00:00:00.000Z', revenue: '0', cost: '3', marginAmount: '-3' },
        { start: '2026-03-02T00:00:00.000Z', revenue: '0', cost: '0', marginAmount: '0' },
      ],
    });
  });

  it('need their scopes', async () => {
    const usage = await keyWith('["usage:read"]');
    expect(await codeOf(`{ ${WINDOW} { costs { totalCost } } }`, usage)).toBe('FORBIDDEN');
    const costs = await keyWith('["costs:read"]');
    const margins =
      '{ endUser(externalId: "ann") { overTime(granularity: DAY, last: { days: 1 }) { margins { revenue } } } }';
    expect(await codeOf(margins, costs)).toBe('FORBIDDEN');
    expect(
      await codeOf(
        'mutation { costPairRegister(input: { keys: ["agent_id", "model"] }) { costPair { state } userErrors { message } } }',
        costs,
      ),
    ).toBe('FORBIDDEN');
  });
});

describe('breakdowns', () => {
  it('group by any key with a filter on another key; experiment and variant are keys', async () => {
    const { data } = await answer(`{ ${WINDOW} {
      byVariant: costsByAttribution(key: "variant", filterKey: "team", filterValue: "red") { items { attributionValue totalCost eventCount percentOfTotal } totalCost totalGroups truncated }
      byExperiment: costsByAttribution(key: "experiment_id", first: 1) { items { attributionValue totalCost } totalCost totalGroups truncated }
    } }`);
    expect(data.window).toEqual({
      byVariant: {
        items: [
          { attributionValue: 'Unassigned', totalCost: '8', eventCount: 1, percentOfTotal: 61.54 },
          { attributionValue: 'b', totalCost: '4', eventCount: 1, percentOfTotal: 30.77 },
          { attributionValue: 'a', totalCost: '1', eventCount: 1, percentOfTotal: 7.69 },
        ],
        totalCost: '13',
        totalGroups: 3,
        truncated: false,
      },
      byExperiment: {
        items: [{ attributionValue: 'Unassigned', totalCost: '8.12345' }],
        totalCost: '15.12345',
        totalGroups: 2,
        truncated: true,
      },
    });
  });

  it.each([
    'costsByAttribution(key: "team", first: 0) { totalCost }',
    'costsByAttribution(key: "team", first: 1001) { totalCost }',
    'costsByAttribution(key: "") { totalCost }',
    'costsByAttribution(key: "team", filterKey: "a") { totalCost }',
    'costsByAttribution(key: "team", filterValue: "a") { totalCost }',
    'events(first: 0) { totalCount }',
    'events(first: 201) { totalCount }',
    'events(after: "x") { totalCount }',
  ])('are limited: %s', async (field) => {
    expect(await codeOf(`{ ${WINDOW} { ${field} } }`)).toBe('VALIDATION_ERROR');
  });
});

describe('end users', () => {
  it('have a summary and a trend', async () => {
    const { data } = await answer(`{ endUser(externalId: "ann") {
      costSummary(start: "2026-03-01", end: "2026-03-02") { totalCost eventCount inputTokens outputTokens firstSeenAt }
      trend(start: "2026-03-01", end: "2026-03-03") { granularity series { label dataPoints { date cost eventCount } } }
    } }`);
    expect(data.endUser).toEqual({
      costSummary: {
        totalCost: '3',
        eventCount: 2,
        inputTokens: 2000,
        outputTokens: 200,
        firstSeenAt: '2026-03-01T10:00:00.000Z',
      },
      trend: {
        granularity: 'daily',
        series: [
          {
            label: 'ann',
            dataPoints: [
              { date: '2026-03-01', cost: '3', eventCount: 2 },
              { date: '2026-03-02', cost: '0', eventCount: 0 },
            ],
          },
        ],
      },
    });
  });

  it('exist once a live event has named them', async () => {
    for (const user of ['nobody', 'tester'])
      expect(await codeOf(`{ endUser(externalId: "${user}") { id } }`)).toBe('NOT_FOUND');
  });
});

describe('a session', () => {
  it('is a tree of spans, every cost rolled up to its parents', async () => {
    const { data } =
      await answer(`{ session(sessionId: "s1") { sessionId sessionType totalCost eventCount truncated roots {
      spanId parentSpanId modelSlugs ownCost totalCost eventCount children { spanId modelSlugs ownCost totalCost eventCount children { spanId totalCost children { spanId } } }
    } } }`);
    expect(data.session).toEqual({
      sessionId: 's1',
      sessionType: 'chat',
      totalCost: '0.12345',
      eventCount: 5,
      truncated: false,
      roots: [
        {
          spanId: 'root',
          parentSpanId: null,
          modelSlugs: ['root'],
          ownCost: '0.1',
          totalCost: '0.1234',
          eventCount: 1,
          children: [
            {
              spanId: 'child',
              modelSlugs: ['child', 'again'],
              ownCost: '0.023',
              totalCost: '0.0234',
              eventCount: 2,
              children: [{ spanId: null, totalCost: '0.0004', children: [] }],
            },
          ],
        },
        {
          spanId: 'lost',
          parentSpanId: 'never sent',
          modelSlugs: ['gpt-4o'],
          ownCost: '0.00005',
          totalCost: '0.00005',
          eventCount: 1,
          children: [],
        },
      ],
    });
  });

  it('is a list as well, for trees deeper than a document may be', async () => {
    const levels = 40;
    await service.send(
      Array.from({ length: levels }, (_, level) =>
        event('0.5', {
          session_id: 'deep',
          span_id: `d${level}`,
          parent_span_id: level === 0 ? undefined : `d${level - 1}`,
        }),
      ),
    );
    const { data } = await answer(
      '{ session(sessionId: "deep") { totalCost spans { spanId parentSpanId depth ownCost totalCost } } }',
    );
    expect(data.session).toEqual({
      totalCost: '20',
      spans: Array.from({ length: levels }, (_, depth) => ({
        spanId: `d${depth}`,
        parentSpanId: depth === 0 ? null : `d${depth - 1}`,
        depth,
        ownCost: '0.5',
        totalCost: String((levels - depth) / 2),
      })),
    });
  });

  it('exists once a live event has named it', async () => {
    for (const session of ['nobody', 'tested', ''])
      expect(await codeOf(`{ session(sessionId: "${session}") { totalCost } }`)).toBe('NOT_FOUND');
  });
});

describe('definitions and permissions', () => {
  it('show dimensions to callers with dimensions:read only', async () => {
    const { data } = await answer(
      '{ dimensions { key label state registeredAt retiredAt } }',
      await keyWith('["dimensions:read"]'),
    );
    expect(data.dimensions).toEqual([
      {
        key: 'team',
        label: 'Team',
        state: expect.stringMatching(/^(READY|BACKFILLING)$/),
        registeredAt: expect.any(String),
        retiredAt: null,
      },
    ]);
    expect(
      await codeOf(
        '{ dimensions { key } }',
        await keyWith('["costs:read", "revenue:read", "usage:read", "usage:write"]'),
      ),
    ).toBe('FORBIDDEN');
    expect(await codeOf(`{ ${WINDOW} { costsByModel { totalCost } } }`, await keyWith('["dimensions:read"]'))).toBe(
      'FORBIDDEN',
    );
  });

  it('do not let a key change dimensions', async () => {
    for (const mutation of [
      'dimensionRegister(input: { key: "x" })',
      'dimensionRename(input: { key: "team", label: "x" })',
      'dimensionRetire(input: { key: "team" })',
    ]) {
      expect(await codeOf(`mutation { ${mutation} { dimension { key } } }`)).toBe('FORBIDDEN');
    }
  });

  it('list every scope and the two presets', async () => {
    const { data } = await answer('{ permissionsManifest { scopes { name grants } presets { id name scopes } } }');
    expect(data.permissionsManifest).toEqual({
      scopes: [
        'costs:read',
        'dimensions:read',
        'revenue:read',
        'usage:read',
        'usage:write',
        'bills:read',
        'bills:write',
      ].map((name) => ({
        name,
        grants: expect.stringMatching(/\w/),
      })),
      presets: [
        {
          id: 'read',
          name: 'CLI and MCP (read-only)',
          scopes: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
        },
        { id: 'ingest', name: 'SDK ingestion', scopes: ['usage:write'] },
      ],
    });
  });
});
