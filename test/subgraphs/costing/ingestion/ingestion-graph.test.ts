import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '#platform/principal.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { costing } from '../../../../subgraphs/costing/main.ts';
import { event, type Costing, log, startCosting } from '../costing-builder.ts';

let ingesting: Costing;
beforeAll(async () => {
  ingesting = await startCosting();
});
afterAll(() => ingesting.close());

async function ask(
  document: string,
  variables: Record<string, unknown>,
  changes: Partial<Principal> = {},
): Promise<unknown> {
  const dependencies = { database: ingesting.live.database, log } as SubgraphDependencies;
  return inProcessSubgraph(makeSubgraph(costing, dependencies)).execute(document, variables, {
    ...ingesting.live.principal,
    ...changes,
  });
}

const ONE = 'mutation ($event: JSON!) { ingestUsageEvent(event: $event) }';
const MANY = 'mutation ($events: JSON!) { ingestUsageEvents(events: $events) }';
const OPERATOR = { kind: 'operator' as const, grants: ['operator'] };

describe('ingestion in the graph', () => {
  it('accepts a batch and a single event', async () => {
    expect(await ask(MANY, { events: [event('a'), 1] })).toMatchObject({
      data: { ingestUsageEvents: { accepted: 1, failed: 1 } },
    });
    expect(await ask(ONE, { event: event('a') })).toMatchObject({
      data: { ingestUsageEvent: { result: { status: 'accepted' }, usage_warning: null } },
    });
  });

  it('needs usage:write', async () => {
    for (const [document, variables] of [
      [ONE, { event: event('b') }],
      [MANY, { events: [event('b')] }],
    ] as const) {
      expect(await ask(document, variables, { grants: ['usage:read'] })).toMatchObject({
        errors: [{ extensions: { code: 'FORBIDDEN' } }],
      });
    }
  });

  it('says what to do if the credits are used up', async () => {
    const SET =
      'mutation { planSet(input: { allotment: 0 }) { credits { allotment softLimit allotmentLeft packsLeft creditsLeft } userErrors { message code } } }';
    expect(await ask(SET, {}, OPERATOR)).toEqual({
      data: {
        planSet: {
          credits: { allotment: 0, softLimit: 0, allotmentLeft: 0, packsLeft: 0, creditsLeft: 0 },
          userErrors: [],
        },
      },
    });
    expect(await ask(ONE, { event: event('c') })).toMatchObject({
      errors: [{ extensions: { code: 'PAYMENT_REQUIRED', details: { actionHint: 'BUY_CREDITS', retryable: false } } }],
    });
    const ADD =
      'mutation { eventPackAdd(input: { events: 1 }) { eventPack { packId expiresAt credits { organizationId packsLeft creditsLeft } } userErrors { message code } } }';
    expect(await ask(ADD, {}, OPERATOR)).toMatchObject({
      data: {
        eventPackAdd: {
          eventPack: { credits: { organizationId: ingesting.organizationId, packsLeft: 1, creditsLeft: 1 } },
          userErrors: [],
        },
      },
    });
    expect(await ask(SET, {})).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });
});

describe('usage in the graph', () => {
  const READ = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    start usageSummary { userId totalEvents metrics { metricName eventCount } }
    usageEvents(limit: 5) { total limit offset events { id eventType metricName quantity eventTimestamp metadata } }
    usageAggregation { totalEvents aggregations { firstEventAt lastEventAt } } } }`;

  it('is available on a window, for any format of its ends', async () => {
    const time = '2023-03-03T03:03:03.000Z';
    await ask(
      'mutation { eventPackAdd(input: { events: 10 }) { eventPack { packId } userErrors { message code } } }',
      {},
      OPERATOR,
    );
    await ask(MANY, { events: [event('d', { event_invoked_at: time })] });
    expect(await ask(READ, { start: '2023-03-03', end: '2023-03-04T00:00+00' })).toEqual({
      data: {
        window: {
          start: '2023-03-03T00:00:00.000Z',
          usageSummary: {
            userId: ingesting.live.principal.accountUserId,
            totalEvents: 1,
            metrics: [{ metricName: 'tokens', eventCount: 1 }],
          },
          usageEvents: {
            total: 1,
            limit: 1,
            offset: 0,
            events: [
              {
                id: expect.any(String),
                eventType: 'ai.inference',
                metricName: 'tokens',
                quantity: 15,
                eventTimestamp: time,
                metadata: {},
              },
            ],
          },
          usageAggregation: { totalEvents: 1, aggregations: [{ firstEventAt: time, lastEventAt: time }] },
        },
      },
    });
  });

  it('rejects a window that ends where it starts', async () => {
    expect(await ask(READ, { start: '2023-03-03', end: '2023-03-03' })).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_ERROR' } }],
    });
  });

  it('usage of an end user is found by its external id', async () => {
    await ask(MANY, { events: [event('e', { user_id: 'Zoë', event_invoked_at: '2023-04-04T00:00:00Z' })] });
    const document = `query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on EndUser {
      externalId usageEvents(start: "2023-04-01", end: "2023-05-01") { total } } } }`;
    const representations = ['Zoë', 'Zoe\u0308'].map((externalId) => ({ __typename: 'EndUser', externalId }));
    expect(await ask(document, { representations })).toEqual({
      data: {
        _entities: [
          { externalId: 'Zoë', usageEvents: { total: 1 } },
          { externalId: 'Zoe\u0308', usageEvents: { total: 0 } },
        ],
      },
    });
  });
});
