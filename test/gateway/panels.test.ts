/**
 * A failing panel affects only itself: it has an error at its path, and every other panel keeps its data, even while a
 * subgraph is unavailable.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nodeIdOf } from '#kernel/node-id.ts';
import { type Config, readConfig } from '#platform/config.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { keyRing } from '#platform/key-ring.ts';
import { createLog } from '#platform/log.ts';
import { anonymous, type Principal } from '#platform/principal.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import type { SubgraphTransport } from '#platform/transports/subgraph-transport.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { SubgraphTransports } from '../../gateway/create-gateway.ts';
import { makeGateway, remoteTransports } from '../../start/assemble.ts';
import { makeSubgraphs } from '../../start/make-subgraphs.ts';
import { type Databases, openDatabases } from '../../start/databases.ts';
import { definitions } from '../../start/definitions.ts';
import { keyRings } from '../../start/service-secret.ts';
import { freePort } from '../support/free-port.ts';
import { serviceTarget } from '../support/fresh-database.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { urlOf } from '../support/running-service.ts';

const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;
const WINDOW = 'window(start: "2026-01-01", end: "2026-02-01")';
const PANELS = {
  costing: ['usageSummary { totalEvents }', 'events { totalCount }', 'usageAggregation { __typename }', 'ledgerCost'],
  attribution: [
    'costsByModel { totalCost }',
    'costsByProvider { totalCost }',
    'costsByAttribution(key: "agent_id") { totalCost }',
    'costs { totalCost }',
    'costTrend(granularity: DAY) { granularity }',
    'trend { granularity }',
    'dimensionValues(key: "agent_id")',
    'warnings { type }',
  ],
  revenue: ['recognizedRevenue { granularity }', 'margin { endUserCount }', 'marginTrend { granularity }'],
} as const;
/** Revenue needs costs for the comparison, and costs are in attribution. */
const OF_BOTH = ['margin', 'marginTrend'];

const nameOf = (panel: string) => /^\w+/.exec(panel)?.[0] ?? '';
const panelsOf = (name: keyof typeof PANELS) => PANELS[name].map(nameOf);
const DOCUMENT = `{ ${WINDOW} { ${Object.values(PANELS).flat().join(' ')} } caller { ok } }`;

const { log, lines } = loggedLines();
const SIGNING = keyRing('signing', ['x'.repeat(32)]);
const dataDirectory = mkdtempSync(join(tmpdir(), 'books-panels-'));
const principal: Principal = Object.freeze({
  ...anonymous('panels-1'),
  kind: 'operator',
  organizationId: randomUUID(),
  grants: ['operator', 'costs:read', 'usage:read', 'revenue:read', 'dimensions:read'],
});
let config: Config;
let databases: Databases;
let here: SubgraphTransports;
/** One gateway for all tests, since loading it takes a second. Each test replaces the transports behind it. */
let client: GatewayClient;
let transports: SubgraphTransports;

beforeAll(async () => {
  const targets = await Promise.all(NAMES.map(async (name) => [name, urlOf(await serviceTarget(name))] as const));
  const closed = `http://127.0.0.1:${await freePort()}`;
  config = readConfig({
    DATA_DIR: dataDirectory,
    ...Object.fromEntries(targets.map(([name, url]) => [`${name.toUpperCase()}_DATABASE_URL`, url])),
    ...Object.fromEntries(NAMES.map((name) => [`${name.toUpperCase()}_URL`, closed])),
  });
  databases = await openDatabases(definitions, config, () => {});
  const replaceables = Object.fromEntries(NAMES.map((name) => [name, replaceable(name)]));
  ({ client } = await makeGateway(replaceables, config, SIGNING, log));
  const subgraphs = await makeSubgraphs(
    definitions,
    databases,
    { config, log: createLog('fatal'), keys: keyRings(config), gateway: client },
    () => {},
  );
  here = Object.fromEntries(subgraphs.map((subgraph) => [subgraph.name, inProcessSubgraph(subgraph)]));
});
afterAll(async () => {
  await databases.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

/** A transport for the gateway that passes each call on to the one that `transports` contains at that time. */
function replaceable(name: string): SubgraphTransport {
  const transport = () => transports[name]!;
  return {
    get isRemote() {
      return transport().isRemote;
    },
    execute: (...request) => transport().execute(...request),
    executeOwn: (...request) => transport().executeOwn(...request),
    close: async () => {},
  };
}

/** The subgraph with the name `stopped` has an address where nothing listens. */
async function answerWithout(stopped: string | null, text: string, variables = {}, settings = config) {
  transports = {
    ...here,
    ...(stopped === null ? {} : { [stopped]: remoteTransports(settings, SIGNING, log)[stopped]! }),
  };
  const { data, errors = [] } = await client.execute(text as GraphqlDocument<Answer>, variables, principal);
  return { data, errors: errors.map(({ path, extensions }) => [path?.join('.') ?? null, extensions?.['code']]) };
}

interface Answer {
  readonly window: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

const keptOf = (window: Readonly<Record<string, unknown>> | undefined) =>
  Object.entries(window ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));

describe('with one subgraph unavailable', () => {
  it.each([
    ['costing', panelsOf('costing')],
    ['attribution', [...panelsOf('attribution'), ...OF_BOTH]],
    ['revenue', panelsOf('revenue')],
  ])('without %s its panels fail at their paths, and all others have their data', async (stopped, lost) => {
    lines.length = 0;
    const { data, errors } = await answerWithout(stopped, DOCUMENT);
    const all = Object.values(PANELS).flat().map(nameOf);
    expect(keptOf(data?.window).sort()).toEqual(all.filter((name) => !lost.includes(name)).sort());
    expect(errors.map(([path]) => path).sort()).toEqual(lost.map((name) => `window.${name}`).sort());
    expect(new Set(errors.map(([, code]) => code))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(lines.find(({ correlationId }) => correlationId === 'panels-1')).toMatchObject({
      level: 'warn',
      subgraph: stopped,
    });
  });

  it('a window that is aliased, passed in variables or repeated works without the subgraph that resolves it', async () => {
    const { data, errors } = await answerWithout(
      'attribution',
      `query ($start: Instant!) {
        now: ${WINDOW} { from: start end recognizedRevenue { granularity } byModel: costsByModel { totalCost } }
        before: window(start: $start, end: "2026-01-01") { id start recognizedRevenue { granularity } }
      }`,
      { start: '2025-12-01' },
    );
    expect(data).toEqual({
      now: {
        from: '2026-01-01T00:00:00.000Z',
        end: '2026-02-01T00:00:00.000Z',
        recognizedRevenue: { granularity: 'weekly' },
        byModel: null,
      },
      before: {
        id: nodeIdOf('Window', principal.organizationId!, '2025-12-01T00:00:00.000Z/2026-01-01T00:00:00.000Z'),
        start: '2025-12-01T00:00:00.000Z',
        recognizedRevenue: { granularity: 'weekly' },
      },
    });
    expect(errors).toEqual([['now.byModel', 'SERVICE_UNAVAILABLE']]);
  });

  it('a window that ends now is the same for all, even without the subgraph that resolves it', async () => {
    const { data } = await answerWithout(
      'attribution',
      '{ window(last: { days: 30 }) { start end recognizedRevenue { granularity } costsByModel { totalCost } usageSummary { periodStart periodEnd } } }',
    );
    const { start, end, usageSummary } = data!.window as Record<string, any>;
    expect(data?.window).toMatchObject({ recognizedRevenue: { granularity: 'daily' }, costsByModel: null });
    expect([usageSummary.periodStart, usageSummary.periodEnd]).toEqual([start, end]);
    expect(Date.parse(end) - Date.parse(start)).toBe(30 * 86_400_000);
  });

  it('fields next to the window keep their data', async () => {
    const { data, errors } = await answerWithout(
      'costing',
      `{ credits { creditsLeft } books { state } ${WINDOW} { ledgerCost } }`,
    );
    expect(data).toEqual({ credits: null, books: { state: expect.any(String) }, window: { ledgerCost: null } });
    expect(errors.sort()).toEqual([
      ['credits', 'SERVICE_UNAVAILABLE'],
      ['window.ledgerCost', 'SERVICE_UNAVAILABLE'],
    ]);
  });
});

describe('an invalid response of a subgraph in another process counts as unavailable', () => {
  const answers: readonly (readonly [string, number, string])[] = [
    ['an error as JSON', 500, '{"message":"boom"}'],
    ['a page', 200, '<html>'],
    ['of another address', 404, '{"message":"not here"}'],
    ['a redirect', 302, ''],
    ['nothing', 200, '{}'],
    ['empty data', 200, '{"data":{}}'],
    ['null for entities', 200, '{"data":{"_entities":null}}'],
    ['too few entities', 200, '{"data":{"_entities":[]}}'],
  ];
  it.each(
    answers.flatMap(([name, ...answer]) =>
      (['costing', 'attribution', 'revenue'] as const).map((subgraph) => [name, subgraph, ...answer] as const),
    ),
  )('%s, of %s', async (_name, subgraph, status, body) => {
    const server = createServer((_request, response) => void response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const elsewhere = { ...config, subgraphUrls: { ...config.subgraphUrls, [subgraph]: url } };
    const { data, errors } = await answerWithout(subgraph, DOCUMENT, {}, elsewhere);
    const lost = [...panelsOf(subgraph), ...(subgraph === 'attribution' ? OF_BOTH : [])];
    const all = Object.values(PANELS).flat().map(nameOf);
    expect(keptOf(data?.window).sort()).toEqual(all.filter((name) => !lost.includes(name)).sort());
    expect(errors).toEqual(expect.arrayContaining(lost.map((name) => [`window.${name}`, 'SERVICE_UNAVAILABLE'])));
    expect(errors).toHaveLength(lost.length);
  });
});

it('a window with no form, or with two, is refused', async () => {
  for (const args of ['start: "2026-01-01"', 'last: { days: 0 }', 'last: { days: 1 }, named: YTD']) {
    const { errors } = await answerWithout(
      null,
      `{ window(${args}) { costsByModel { totalCost } usageSummary { totalEvents } } }`,
    );
    expect(new Set(errors.map(([, code]) => code))).toEqual(new Set(['VALIDATION_ERROR']));
  }
});

it('a window that ends in the future has a warning', async () => {
  const { data } = await answerWithout(
    null,
    '{ window(start: "2026-01-01", end: "2100-01-01") { warnings { type } } }',
  );
  expect(data?.window['warnings']).toEqual([{ type: 'window_ends_in_future' }]);
});

describe('a panel that is refused', () => {
  it('does not affect the data of other panels, and has an error at its path', async () => {
    const { data, errors } = await answerWithout(
      null,
      `{ ${WINDOW} { costsByModel { totalCost } costsByDimension(key: "nothing") { totalCost }
          ofNothing: trend(dimensionKey: "nothing") { granularity } margin { endUserCount } usageSummary { totalEvents } } }`,
    );
    expect(data?.window).toEqual({
      costsByModel: { totalCost: '0' },
      costsByDimension: null,
      ofNothing: null,
      margin: { endUserCount: 0 },
      usageSummary: { totalEvents: 0 },
    });
    expect(errors.sort()).toEqual([
      ['window.costsByDimension', 'NOT_FOUND'],
      ['window.ofNothing', 'NOT_FOUND'],
    ]);
  });

  it('an end user that does not exist fails only its own panel', async () => {
    const { data, errors } = await answerWithout(
      null,
      `{ endUser(externalId: "nobody") { id } ${WINDOW} { costsByModel { totalCost } } }`,
    );
    expect(data).toEqual({ endUser: null, window: { costsByModel: { totalCost: '0' } } });
    expect(errors).toEqual([['endUser', 'NOT_FOUND']]);
  });

  it('a margin of a window that is too long is refused at its own path, which contains only fields of the query', async () => {
    const long = 'window(start: "2020-01-01", end: "2026-02-01")';
    const { data, errors } = await answerWithout(
      null,
      `{ ${long} { margin { endUserCount } costsByModel { totalCost } } }`,
    );
    expect(data?.window).toEqual({ margin: null, costsByModel: { totalCost: '0' } });
    expect(errors).toEqual([['window.margin', 'UNPROCESSABLE_ENTITY']]);
  });
});
