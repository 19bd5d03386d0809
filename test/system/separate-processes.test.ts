import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { serviceToken } from '#platform/transports/service-token.ts';
import { type Answer, get, graphql, post, read, settle } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { freePorts } from '../support/free-port.ts';
import { serviceTarget } from '../support/fresh-database.ts';
import { CALLBACK, DEVICE_GRANT, postForm, register } from '../support/oauth-requests.ts';
import { type FirstRun, urlOf } from '../support/running-service.ts';
import { addCustomer, newAccount } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start } from '../../packages/stripe-stand-in/server.ts';
import { type TraceReceiver, traceReceiver } from '../support/trace-receiver.ts';
import { usageEvent } from '../support/usage-event.ts';
import { signedIn } from '../support/visitor.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;
const processes = new Map<string, ChildProcess>();
/** Output of each process. */
const output = new Map<string, string>();
let launch: (name: string) => void;
let dataDirectory: string;
let traces: TraceReceiver;
let identity: string;
let gateway: string;
let adapter: string;
let costing: string;
let costingJobs: string;

beforeAll(async () => {
  traces = await traceReceiver();
  dataDirectory = mkdtempSync(join(tmpdir(), 'books-processes-'));
  const ports = await freePorts(13);
  const url = (index: number) => `http://127.0.0.1:${ports[index]}`;
  [identity, costing, gateway, adapter, costingJobs] = [url(0), url(1), url(6), url(7), url(8)];
  const secret = randomBytes(32).toString('hex');
  const encryptionSecret = randomBytes(32).toString('hex');
  const shared: Record<string, string> = {
    DATA_DIR: dataDirectory,
    GATEWAY_URL: gateway,
    LOG_LEVEL: 'warn',
    READ_RATE_LIMIT: '10000;w=900',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  };
  for (const [index, name] of NAMES.entries()) {
    shared[`${name.toUpperCase()}_URL`] = url(index);
    shared[`${name.toUpperCase()}_DATABASE_URL`] = urlOf(await serviceTarget(name));
  }
  const all = [
    ...NAMES.map((name) => `subgraph ${name}`),
    'gateway',
    'rest-adapter',
    ...['costing', 'attribution', 'revenue', 'alerting', 'reconciliation'].map((name) => `jobs ${name}`),
  ];
  launch = (name) => {
    const [script, ...args] = name.split(' ');
    const [subgraph] = args;
    // Subgraphs and their jobs do not have the secret: they can verify what the gateway signs, but sign nothing.
    const trust =
      subgraph === undefined
        ? { SERVICE_SECRET: secret }
        : { SERVICE_TOKEN: serviceToken(subgraph, keyRing('signing', [secret])), ENCRYPTION_SECRET: encryptionSecret };
    const child = spawn(process.execPath, [`start/${script}.ts`, ...args], {
      env: {
        ...process.env,
        ...shared,
        ...trust,
        PORT: String(ports[all.indexOf(name)]),
        ...(name === 'rest-adapter' ? { DRAIN_SECONDS: '2' } : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => output.set(name, `${output.get(name) ?? ''}${text}`));
    processes.set(name, child);
  };
  all.forEach(launch);
  await Promise.all([
    ...NAMES.map((_name, index) => answers(`${url(index)}/readyz`)),
    answers(`${gateway}/readyz`),
    answers(`${adapter}/readyz`),
  ]);
  // The gateway requested costing before costing listened: it retries within a second or two.
  await vi.waitFor(async () => expect((await readyz(adapter)).body.backlog).not.toBeNull(), PATIENCE);
});

afterAll(async () => {
  await Promise.all([...processes.keys()].map(end));
  await traces.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

it('the same code as separate processes accepts a signed batch and reads exact costs back', async () => {
  const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8'));
  const exact = '0.123456789012345';
  const sent = await post(
    adapter,
    '/usage-events/batch',
    firstRun.live_ingest_key,
    `[${JSON.stringify(usageEvent({ user_id: 'u1' }))},
    {"idempotency_key":"k","model":"m","input_tokens":1,"output_tokens":1,"event_invoked_at":"${new Date().toISOString()}","cost_override":${exact},"metadata":{"big":12345678901234567890123}}]`,
  );
  expect([sent.status, sent.body.accepted]).toEqual([202, 2]);
  await settle(gateway, firstRun.operator_token);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const today = new Date().toISOString().slice(0, 10);
  const { body } = await get(
    adapter,
    `/cost-data/by-model?start_date=${today}&end_date=${tomorrow}`,
    firstRun.live_read_key,
  );
  expect(body.models.map(({ model_slug: slug, total_cost: cost }: Record<string, string>) => [slug, cost])).toEqual([
    ['m', exact],
    ['gpt-4o', '0.0035'],
  ]);
  const events = await get(adapter, `/usage/events?start_date=${today}&end_date=${tomorrow}`, firstRun.live_read_key);
  expect(events.text).toContain('12345678901234567890123');
  expect(
    (
      await get(
        adapter,
        `/end-user-costs/nobody/by-model?start_date=${today}&end_date=${tomorrow}`,
        firstRun.live_read_key,
      )
    ).status,
  ).toBe(404);
});

it('revenue is synced by its own process, and compared with costs from another process', async () => {
  const {
    operator_token: operator,
    organization_id: organization,
    live_read_key: key,
  } = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8'));
  const day = 86_400;
  const midnight = Math.floor(Date.now() / 1000 / day) * day;
  const standIn = await start({ account: newAccount(midnight) });
  try {
    const customer = addCustomer(standIn.account, { name: 'Customer one', metadata: { user_id: 'u1' } });
    addInvoice(standIn.account, { customer, lines: [{ amount: 300, start: midnight, end: midnight + 3 * day }] });
    const input = { apiKey: [...standIn.keys.keys()][0], apiBase: standIn.url };
    await graphql(
      gateway,
      operator,
      'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id } userErrors { message } } }',
      { input },
      organization,
    );
    const { body } = await graphql(
      gateway,
      operator,
      'mutation { revenueSync(input: { waitSeconds: 30, full: true }) { run { state recordsCreated } userErrors { message } } }',
      {},
      organization,
    );
    expect(body.data.revenueSync.run).toEqual({ state: 'FINISHED', recordsCreated: 1 });
  } finally {
    await standIn.stop();
  }
  const range = `start_date=${new Date(midnight * 1000).toISOString()}&end_date=${new Date((midnight + day) * 1000).toISOString()}`;
  const margin = await get(adapter, `/margin-data/by-end-user?${range}`, key);
  expect(margin.body.end_users).toEqual([
    {
      end_user_id: expect.any(String),
      end_user_name: 'Customer one',
      cost: '0.0035',
      revenue: '1',
      margin_amount: '0.9965',
      margin_percent: 99.65,
      profitability_category: 'profitable',
    },
  ]);
  expect(margin.body.org_total).toMatchObject({
    total_revenue: '1',
    total_cost: '0.126956789012345',
    unattributed_cost: '0.123456789012345',
    revenue_record_count: 1,
  });
  const rates = await get(adapter, '/rate-cards/estimation-table', key);
  expect(rates.body.items.find((item: Record<string, string>) => item['model_slug'] === 'gpt-4o')).toMatchObject({
    input_cost_per_million: '2.5',
    output_cost_per_million: '10',
  });
});

it('people sign in and see their costs at the adapter', async () => {
  const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8'));
  const person = await signedIn(adapter, firstRun);
  expect((await person.get('/?span=30-days')).html).toMatch(/<p class="figure"><a [^>]+>\$0\.13<\/a><\/p>/);
  expect((await person.get('/audit-log')).html).toContain('Session started');
});

it('closing the books checks the password with identity, from two other processes', async () => {
  const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
  const person = await signedIn(adapter, firstRun);
  const close = (ownPassword: string) =>
    person.submit('/books/closing', '/books/closing/close', { month: '2026-01', ownPassword });
  const refused = await close('a guess');
  expect([refused.status, refused.html.includes('Your own password is wrong')]).toEqual([400, true]);
  expect((await close(firstRun.owner_password)).location).toBe('/books/closing?done=months-closed');
  expect((await person.get('/books/closing')).html.match(/<strong>January 2026<\/strong>/g)).toHaveLength(2);
});

it('the edge registers OAuth clients, begins device logins and revokes keys', async () => {
  const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8'));
  expect((await register(adapter, { client_name: 'c', redirect_uris: [CALLBACK] })).body).toMatchObject({
    client_name: 'c',
    redirect_uris: [CALLBACK],
  });
  expect((await register(adapter, { redirect_uris: ['http://elsewhere.example'] })).body.error).toBe(
    'invalid_redirect_uri',
  );
  const { body: login } = await postForm(adapter, '/oauth/device_authorization', {
    client_id: 'cli',
    machine_name: 'laptop',
  });
  expect(
    (
      await postForm(adapter, '/oauth/token', {
        grant_type: DEVICE_GRANT,
        client_id: 'cli',
        device_code: login.device_code,
      })
    ).body.error,
  ).toBe('authorization_pending');
  expect((await postForm(adapter, '/oauth/revoke', { token: firstRun.test_ingest_key })).status).toBe(200);
  expect((await get(adapter, '/ping', firstRun.test_ingest_key)).status).toBe(401);
});

it('a subgraph refuses anyone who is not its gateway', async () => {
  const { body } = await graphql(identity, null, '{ permissionsManifest { scopes { name } } }');
  expect(body.data ?? null).toBeNull();
  expect(body.errors[0].extensions.code).toBe('UNAUTHORIZED');
});

describe('the operations port of each process', () => {
  it('a subgraph reports that its database is writable, and its counters', async () => {
    expect(await readyz(costing)).toEqual({ status: 200, body: { ready: true, databases: { costing: 'ok' } } });
    expect(await readyz(costingJobs)).toEqual({ status: 200, body: { ready: true, databases: { costing: 'ok' } } });
    const metrics = await (await fetch(`${costing}/metrics`)).text();
    // Also on the operations port; priced events are counted by the jobs process.
    expect(await metricsForOperators(costing)).toMatch(/^books_usage_events_accepted_total [1-9]/m);
    expect(await metricsForOperators(costingJobs)).toMatch(/^books_usage_events_priced_total\{status="\w+"\} [1-9]/m);
    expect(await metricsForOperators(costingJobs)).toMatch(
      /^books_job_steps_total\{subgraph="costing",job="price-events"/m,
    );
    expect(await metricsForOperators(gateway)).toMatch(/^books_pricing_backlog_events \d/m);
    expect(await metricsForOperators(adapter)).toMatch(/^books_ready 1$/m);
    expect(metrics).toMatch(/^books_usage_events_accepted_total [1-9]/m);
    expect(metrics).toMatch(
      /^books_http_request_duration_seconds_count\{method="POST",route="\/graphql",status="200"\} [1-9]/m,
    );
    expect(await (await fetch(`${costing}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it('the edges report that they can serve, and the state of the others', async () => {
    const subgraphs = {
      identity: 'ok',
      costing: 'ok',
      attribution: 'ok',
      revenue: 'ok',
      alerting: 'ok',
      reconciliation: 'ok',
    };
    const backlog = { pending_events: 0, feed_lag: 0 };
    const catalogue = {
      source: expect.stringMatching(/^@pydantic\/genai-prices /),
      published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      age_days: expect.any(Number),
    };
    expect(await readyz(gateway)).toEqual({
      status: 200,
      body: { ready: true, databases: {}, subgraphs, backlog, catalogue },
    });
    expect(await readyz(adapter)).toEqual({
      status: 200,
      body: { ready: true, databases: {}, gateway: 'ok', subgraphs, backlog, catalogue },
    });
  });
});

it('a usage event is one trace, from the edge through gateway and subgraph to the statements of its database', async () => {
  const { live_ingest_key: key } = firstRun();
  const [traceId, callerId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const endUser = 'an end user whom no span names';
  const event = usageEvent({ user_id: endUser, model: 'gpt-4o', input_tokens: 0, output_tokens: 0 });
  const answer = await post(adapter, '/usage-events', key, event, { traceparent: `00-${traceId}-${callerId}-01` });
  expect(answer.status).toBe(202);
  const ofTrace = () => traces.spans.filter((span) => span.traceId === traceId);
  const named = (service: string, name: RegExp) =>
    ofTrace().find((span) => span.service === service && name.test(span.name));
  await expect.poll(() => named('books-rest-adapter', /^POST \/v1\/usage-events$/)?.parentSpanId).toBe(callerId);
  await expect.poll(() => named('books-gateway', /^mutation /)).toBeDefined();
  await expect.poll(() => named('books-subgraph-costing', /^(insert|with)\b/)?.name).toBeDefined();
  // Every span except the first has a parent in the same trace, in any process.
  await expect
    .poll(() => {
      const ids = new Set([callerId, ...ofTrace().map(({ spanId }) => spanId)]);
      return ofTrace().filter(({ parentSpanId }) => !ids.has(parentSpanId));
    }, PATIENCE)
    .toEqual([]);
  expect(new Set(ofTrace().map(({ service }) => service))).toEqual(
    new Set(['books-rest-adapter', 'books-gateway', 'books-subgraph-identity', 'books-subgraph-costing']),
  );
  expect(
    traces.spans.some(({ name, service }) => name === 'job price-events' && service === 'books-jobs-costing'),
  ).toBe(true);
  for (const secret of [endUser, key, firstRun().organization_id]) expect(traces.text()).not.toContain(secret);
});

describe('processes become unavailable one after another', () => {
  it('without costing, the edges serve everything else, and report what is missing', async () => {
    const { live_read_key: key, live_ingest_key: ingestKey } = firstRun();
    await end('subgraph costing');
    const subgraphs = {
      identity: 'ok',
      costing: 'unreachable',
      attribution: 'ok',
      revenue: 'ok',
      alerting: 'ok',
      reconciliation: 'ok',
    };
    await expect
      .poll(() => readyz(gateway))
      .toEqual({ status: 200, body: { ready: true, databases: {}, subgraphs, backlog: null, catalogue: null } });
    await expect
      .poll(() => readyz(adapter))
      .toEqual({
        status: 200,
        body: { ready: true, databases: {}, gateway: 'ok', subgraphs, backlog: null, catalogue: null },
      });
    expect((await get(adapter, '/cost-data/by-model', key)).status).toBe(200);
    for (const answer of [
      await get(adapter, '/usage/summary?start_date=2026-01-01&end_date=2026-02-01', key),
      await post(adapter, '/usage-events', ingestKey, usageEvent()),
    ]) {
      expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE');
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    await expect
      .poll(() => output.get('gateway'))
      .toMatch(/"subgraph":"costing","state":"unreachable","cause":"(ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET)"/);
  });

  it('requests that need a stopped subgraph get 503 and others are served: first without revenue, then without attribution too', async () => {
    const { live_read_key: key } = firstRun();
    const RANGE = 'start_date=2026-01-01&end_date=2026-02-01';
    const statuses = async () =>
      Promise.all(
        ['/cost-data/by-model', `/margin-data/by-end-user?${RANGE}`, '/ping'].map(
          async (path) => (await get(adapter, path, key)).status,
        ),
      );
    await end('subgraph revenue');
    expect(await statuses()).toEqual([200, 503, 200]);
    await end('subgraph attribution');
    expect(await statuses()).toEqual([503, 503, 200]);
    launch('subgraph attribution');
    await expect.poll(statuses).toEqual([200, 503, 200]);
  });

  it("a frozen subgraph does not delay the edges' own responses", async () => {
    processes.get('subgraph attribution')?.kill('SIGSTOP');
    try {
      await expect
        .poll(() => readyz(adapter))
        .toMatchObject({
          status: 200,
          body: { ready: true, gateway: 'ok', subgraphs: { attribution: 'unresponsive' } },
        });
    } finally {
      processes.get('subgraph attribution')?.kill('SIGCONT');
    }
  });

  it('without identity, neither the gateway nor the adapter is ready', async () => {
    await end('subgraph identity');
    await expect
      .poll(() => readyz(gateway))
      .toMatchObject({
        status: 503,
        body: { ready: false, subgraphs: { identity: 'unreachable', attribution: 'ok' } },
      });
    await expect
      .poll(() => readyz(adapter))
      .toMatchObject({ status: 503, body: { ready: false, gateway: 'not ready' } });
    expectEnvelope(await get(adapter, '/ping', firstRun().live_read_key), 503, 'SERVICE_UNAVAILABLE');
  });

  it('without its gateway, the adapter is not ready, and returns 503', async () => {
    // The gateway is told to stop while requests wait for a subgraph that does not respond: it stops anyway.
    launch('subgraph identity');
    await expect.poll(async () => (await readyz(gateway)).status).toBe(200);
    processes.get('subgraph attribution')?.kill('SIGSTOP');
    const waiting = Promise.all([0, 1, 2].map(() => get(adapter, '/cost-data/by-model', firstRun().live_read_key)));
    await pause(300);
    await end('gateway');
    processes.get('subgraph attribution')?.kill('SIGCONT');
    for (const answer of await waiting) expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE');
    await expect
      .poll(() => readyz(adapter))
      .toEqual({
        status: 503,
        body: { ready: false, databases: {}, gateway: 'unreachable', backlog: null, catalogue: null },
      });
    expectEnvelope(await get(adapter, '/ping', firstRun().live_read_key), 503, 'SERVICE_UNAVAILABLE');
  });
});

it('a stopping process reports it first, serves remaining requests, and ends with status 0', async () => {
  const child = processes.get('rest-adapter')!;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await expect.poll(async () => (await readyz(adapter)).body.draining).toBe(true);
  expect((await readyz(adapter)).status).toBe(503);
  expect((await fetch(`${adapter}/healthz`)).status).toBe(200);
  expect(await ended).toBe(0);
  processes.delete('rest-adapter');
});

function firstRun(): FirstRun {
  return JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
}

/** The operations port is the process's own port plus a thousand. */
async function metricsForOperators(url: string): Promise<string> {
  const at = new URL(url);
  at.port = String(Number(at.port) + 1_000);
  return (await fetch(`${at.origin}/metrics`)).text();
}

async function readyz(url: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { status, body } = await read(await fetch(`${url}/readyz`));
  return { status, body };
}

/** Ends a running process, as its supervisor would. */
async function end(name: string): Promise<void> {
  const child = processes.get(name);
  processes.delete(name);
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function answers(url: string): Promise<void> {
  try {
    await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { ...PATIENCE, interval: 500 });
  } catch (error) {
    throw new Error(`${url} does not answer:\n${[...output].map(([name, text]) => `${name}: ${text}`).join('\n')}`, {
      cause: error,
    });
  }
}
