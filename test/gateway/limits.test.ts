/** Limits must allow what the schema promises, such as the largest page or a whole tree. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';

const FIGURES = `totalCost inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens reasoningTokens
  inputCost outputCost cacheCreationCost cacheReadCost reasoningCost eventCount percentOfTotal`;
const WINDOW = 'window(start: "2026-01-01", end: "2026-02-01")';
const EVENT =
  'nodes { id eventType metricName quantity eventTimestamp metadata } totalCount pageInfo { hasNextPage endCursor }';
const NODE = 'spanId parentSpanId startedAt modelSlugs ownCost totalCost eventCount';

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

const codeOf = async (document: string): Promise<unknown> =>
  (await graphql(service.url, service.firstRun.live_read_key, document)).body.errors?.[0]?.extensions?.code ?? null;

it.each([
  [
    'a breakdown by any key, at its default cap',
    `{ ${WINDOW} { costsByAttribution(key: "team", filterKey: "agent_id", filterValue: "a") { items { attributionValue ${FIGURES} } totalCost totalGroups truncated } } }`,
  ],
  [
    'the largest page of end users',
    `{ ${WINDOW} { byEndUser: costs(first: 1000, groupBy: [END_USER]) { nodes { values { value } totalCost } totalCost } } }`,
  ],
  [
    'the largest page of selected costs',
    `{ ${WINDOW} { costs(first: 1000, groupBy: [AGENT, MODEL]) { nodes { values { key value endUser { externalId } } totalCost eventCount percentOfTotal } totalCost totalCount pageInfo { hasNextPage endCursor } } } }`,
  ],
  [
    'twenty lines of hours',
    `{ ${WINDOW} { costTrend(granularity: HOUR, by: MODEL, series: 20) { granularity series { isRest value { key value } points { start cost eventCount } } } } }`,
  ],
  ['the largest page of events', `{ ${WINDOW} { events(first: 200) { ${EVENT} } } }`],
  [
    'a dashboard: several breakdowns at once',
    `{ ${WINDOW} {
    costsByModel { items { modelSlug providerSlug ${FIGURES} } totalCost } costsByProvider { providers: items { providerName totalCost } }
    trend { series { key label dataPoints { date cost eventCount } } } costs(groupBy: [END_USER]) { nodes { values { value } totalCost } }
  } }`,
  ],
])('the gateway allows %s', async (_what, document) => {
  expect(await codeOf(document)).toBeNull();
});

it.each([
  [30, null],
  [31, 'VALIDATION_ERROR'],
])('a document may have thirty aliases: %i', async (aliases, code) => {
  const fields = Array.from({ length: aliases }, (_, index) => `a${index}: caller { ok }`);
  expect(await codeOf(`{ ${fields.join(' ')} }`)).toBe(code);
});

it.each([
  ['Small', null],
  ['Large', 'VALIDATION_ERROR'],
])('of several operations in a document, only the one that runs is limited: %s', async (operationName, code) => {
  const large = `query Large { ${WINDOW} { events(first: 100000) { ${EVENT} } } }`;
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.firstRun.live_read_key}` },
    body: JSON.stringify({ query: `query Small { caller { ok } } ${large}`, operationName }),
  });
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  expect(errors?.[0]?.extensions.code ?? null).toBe(code);
});

it('the gateway allows a session tree as deep as documents may be', async () => {
  const levels = 8;
  const tree = `{ session(sessionId: "s") { totalCost roots { ${NODE} ${`children { ${NODE} `.repeat(levels)} ${'}'.repeat(levels)} } } }`;
  expect(await codeOf(tree)).toBe('NOT_FOUND');
});

it.each([
  ['a page beyond its bound', `{ ${WINDOW} { events(first: 100000) { ${EVENT} } } }`],
  [
    'many large pages at once',
    `{ ${WINDOW} { ${Array.from({ length: 20 }, (_, index) => `a${index}: events(first: 5000) { ${EVENT} }`).join(' ')} } }`,
  ],
])('the gateway refuses %s', async (_what, document) => {
  expect(await codeOf(document)).toBe('VALIDATION_ERROR');
});
