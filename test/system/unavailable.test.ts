import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { type Service, startService } from '../../start/start-service.ts';
import { type Answer, get, graphql, post, read } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { freshTarget, serviceTarget } from '../support/fresh-database.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { postForm, register } from '../support/oauth-requests.ts';
import { type FirstRun, urlOf } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { signedIn, visitor } from '../support/visitor.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const TODAY = 'start_date=2026-01-01&end_date=2100-01-01';

const { log, lines } = loggedLines();
const dataDirectory = mkdtempSync(join(tmpdir(), 'books-unavailable-'));
let service: Service;
let firstRun: FirstRun;
let identity: FaultProxy;
let costing: FaultProxy;
let revenue: FaultProxy;
let costingDatabase: string;

function throughProxy(url: string, proxy: FaultProxy): string {
  const { host, port } = proxy.to(inject('server'));
  return url.replace(/@.*\//, `@${host}:${port}/`).replace(/\?.*$/, '');
}

beforeAll(async () => {
  [identity, costing, revenue] = (await Promise.all([0, 1, 2].map(() => faultProxy(inject('server'))))) as [
    FaultProxy,
    FaultProxy,
    FaultProxy,
  ];
  const costingTarget = await serviceTarget('costing');
  costingDatabase = costingTarget.dbName;
  service = await startService(
    readConfig({
      DATA_DIR: dataDirectory,
      PORT: '0',
      READ_RATE_LIMIT: '10000;w=900',
      IDENTITY_DATABASE_URL: throughProxy(urlOf(await freshTarget('identity')), identity),
      COSTING_DATABASE_URL: throughProxy(urlOf(costingTarget), costing),
      ATTRIBUTION_DATABASE_URL: urlOf(await freshTarget('attribution')),
      REVENUE_DATABASE_URL: throughProxy(urlOf(await freshTarget('revenue')), revenue),
    }),
    { log, jobs: false },
  );
  firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
});
afterAll(async () => {
  await service.stop();
  await Promise.all([identity, costing, revenue].map((proxy) => proxy.close()));
  rmSync(dataDirectory, { recursive: true, force: true });
});

/** Waits until the service has noticed that everything is back, with one read for each database. */
afterEach(async () => {
  for (const proxy of [identity, costing, revenue]) proxy.set('none');
  for (const path of [
    '/ping',
    `/usage/summary?${TODAY}`,
    '/margin-data/by-end-user?start_date=2026-01-01&end_date=2026-02-01',
  ]) {
    await expect.poll(async () => (await get(service.url, path, firstRun.live_read_key)).status).toBe(200);
  }
  await expect.poll(async () => (await readyz()).status).toBe(200);
});

function refuse(proxy: FaultProxy): void {
  proxy.set('refuse');
  proxy.cut('reset');
}

const readyz = async (): Promise<Answer> => read(await fetch(`${service.url}/readyz`));

function expectUnavailable(answer: Answer): void {
  expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE', /not available for the moment/);
  expect(answer.headers.get('retry-after')).toBe('5');
}

describe('the database of one subgraph is refused', () => {
  it('requests that need it get 503 in the envelope with the time to retry; the rest is served', async () => {
    refuse(costing);
    expectUnavailable(await get(service.url, `/usage/summary?${TODAY}`, firstRun.live_read_key));
    expectUnavailable(await get(service.url, '/cost-data/summary', firstRun.live_read_key));
    expectUnavailable(await post(service.url, '/usage-events', firstRun.live_ingest_key, usageEvent()));
    expectUnavailable(await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, [usageEvent()]));
    expect((await get(service.url, `/cost-data/by-model?${TODAY}`, firstRun.live_read_key)).status).toBe(200);
    expect((await get(service.url, '/ping', firstRun.live_read_key)).status).toBe(200);
  });

  it('the log names the subgraph and the cause', async () => {
    refuse(costing);
    await get(service.url, `/usage/summary?${TODAY}`, firstRun.live_read_key);
    // One line for the outage, with the request that began it.
    const line = lines.findLast(({ correlationId, subgraph }) => correlationId !== undefined && subgraph === 'costing');
    expect(line).toMatchObject({
      level: 'warn',
      correlationId: expect.any(String),
      cause: expect.stringMatching(/^ECONN|^Connection terminated|^08|^57/),
    });
  });

  it('the graph returns 503 if nothing could be answered, and otherwise what it has', async () => {
    refuse(costing);
    const nothing = await graphql(
      service.url,
      firstRun.operator_token,
      '{ credits { creditsLeft } }',
      {},
      firstRun.organization_id,
    );
    expect([nothing.status, nothing.headers.get('retry-after'), nothing.body.errors[0].extensions.code]).toEqual([
      503,
      '5',
      'SERVICE_UNAVAILABLE',
    ]);
    const window = `window(start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z") { costsByModel { totalCost } }`;
    const { status, body } = await graphql(
      service.url,
      firstRun.operator_token,
      `{ revenueConnection { id } credits { creditsLeft } ${window} }`,
      {},
      firstRun.organization_id,
    );
    if (body.data?.window) expect([status, body.data.window.costsByModel.totalCost]).toEqual([200, '0']);
    else expect(status).toBe(503);
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toContain(
      'SERVICE_UNAVAILABLE',
    );
  });

  it('an MCP tool returns the code and the time', async () => {
    refuse(costing);
    const { body } = await callMcp('get_usage_summary', { start_date: '2026-01-01', end_date: '2026-02-01' });
    expect(body.result.isError).toBe(true);
    expect(JSON.parse(body.result.content[0].text)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { retry_after_seconds: 5 },
    });
  });

  it('readiness names it', async () => {
    refuse(costing);
    await expect
      .poll(async () => (await readyz()).body)
      .toMatchObject({
        ready: false,
        databases: { identity: 'ok', costing: 'unreachable', attribution: 'ok', revenue: 'ok' },
        backlog: null,
      });
    expect((await readyz()).status).toBe(503);
  });
});

describe('identity is unavailable', () => {
  it('REST, the graph, OAuth and MCP return 503', async () => {
    refuse(identity);
    expectUnavailable(await get(service.url, '/ping', firstRun.live_read_key));
    expectUnavailable(await post(service.url, '/usage-events', firstRun.live_ingest_key, usageEvent()));
    const graph = await graphql(
      service.url,
      firstRun.operator_token,
      '{ credits { creditsLeft } }',
      {},
      firstRun.organization_id,
    );
    expect([graph.status, graph.headers.get('retry-after'), graph.body.errors[0].extensions.code]).toEqual([
      503,
      '5',
      'SERVICE_UNAVAILABLE',
    ]);
    for (const answer of [
      await postForm(service.url, '/oauth/device_authorization', { client_id: 'cli' }),
      await register(service.url, { redirect_uris: ['https://app.example/callback'] }),
    ]) {
      expect([answer.status, answer.headers.get('retry-after'), answer.body.error]).toEqual([
        503,
        '5',
        'temporarily_unavailable',
      ]);
    }
    const mcp = await callMcp('ping', {});
    expect([mcp.status, mcp.headers.get('retry-after'), mcp.body.error.data.code]).toEqual([
      503,
      '5',
      'SERVICE_UNAVAILABLE',
    ]);
    expectUnavailable(await postForm(service.url, '/oauth/revoke', { token: firstRun.test_ingest_key }));
  });

  it('people see a page that says so', async () => {
    const person = await signedIn(service.url, firstRun);
    const stranger = visitor(service.url);
    const form = await stranger.get('/sign-in');
    refuse(identity);
    for (const page of [
      await person.get('/sessions'),
      await stranger.answer(form, '/sign-in', { email: firstRun.owner_email, password: firstRun.owner_password }),
    ]) {
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
      expect(page.html).toContain('<h1>Temporarily unavailable</h1>');
      expect(page.html).toContain('Please try again in a few seconds.');
    }
  });
});

it('the overview shows costs while margins are unavailable', async () => {
  const person = await signedIn(service.url, firstRun);
  refuse(revenue);
  const page = await person.get('/');
  expect(page.status).toBe(200);
  expect(page.html).toContain('not available for the moment');
});

describe('a database that has become read-only', () => {
  it('still serves reads; writes get 503, and readiness reports it', async () => {
    const setReadOnly = (value: 'on' | 'off') =>
      withClient({ ...inject('server'), dbName: 'postgres' }, async (client) => {
        await client.query(`alter database ${costingDatabase} set default_transaction_read_only = ${value}`);
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          costingDatabase,
        ]);
      });
    await setReadOnly('on');
    try {
      await expect.poll(async () => (await readyz()).body.databases.costing).toBe('read-only');
      expectUnavailable(await post(service.url, '/usage-events', firstRun.live_ingest_key, usageEvent()));
      await expect
        .poll(async () => (await get(service.url, `/usage/summary?${TODAY}`, firstRun.live_read_key)).status)
        .toBe(200);
    } finally {
      await setReadOnly('off');
    }
  });
});

describe('a database that does not respond', () => {
  it('is reported as unresponsive within the limit, and probes do not queue up', async () => {
    await readyz();
    costing.set('freeze');
    await expect.poll(async () => (await readyz()).body.databases.costing).toBe('unresponsive');
    const [began, before] = [performance.now(), costing.attempts()];
    const probes = await Promise.all(Array.from({ length: 20 }, readyz));
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([503]));
    // At most two a second, however long a busy machine takes for the probes.
    const seconds = (performance.now() - began) / 1000;
    expect(costing.attempts() - before).toBeLessThanOrEqual(2 + 2 * seconds);
  });
});

it('nothing that was refused is counted, and acknowledged events are counted once', async () => {
  const sent: Record<string, unknown>[] = [];
  let acknowledged = 0;
  for (let round = 0; round < 12; round += 1) {
    if (round % 4 === 1) costing.cut(round % 8 === 1 ? 'end' : 'reset');
    if (round % 4 === 2) refuse(costing);
    if (round % 4 === 3) costing.set('none');
    const events = Array.from({ length: 5 }, () =>
      usageEvent({ event_invoked_at: '2026-03-01T00:00:00Z', cost_override: '1' }),
    );
    const answer = await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, events);
    expect([202, 503]).toContain(answer.status);
    if (answer.status === 202) acknowledged += answer.body.accepted;
    else sent.push(...events);
  }
  costing.set('none');
  const count = async () =>
    (await get(service.url, '/usage/summary?start_date=2026-03-01&end_date=2026-04-01', firstRun.live_read_key)).body
      .total_events;
  await expect.poll(count).toBeGreaterThanOrEqual(acknowledged);
  // Resending the refused ones is safe.
  for (const events of [sent, sent]) {
    for (let at = 0; at < events.length; at += 5)
      await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, events.slice(at, at + 5));
  }
  expect(await count()).toBe(acknowledged + sent.length);
});

async function callMcp(name: string, args: object): Promise<Answer> {
  return read(
    await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${firstRun.live_read_key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-correlation-id': randomBytes(8).toString('hex'),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    }),
  );
}
