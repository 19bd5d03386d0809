/**
 * The real processes, with a proxy between them and PostgreSQL: whatever happens, nothing acknowledged is lost or
 * counted twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { addCustomer, newAccount } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { get, graphql, post } from '../support/api-client.ts';
import {
  BATCH,
  type ChildService,
  expectEvents,
  firstRunOf,
  run,
  Sender,
  terminate,
} from '../support/child-service.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { serviceTarget } from '../support/fresh-database.ts';
import { type RedisStandIn, redisStandIn } from '../support/redis-stand-in.ts';
import type { FirstRun } from '../support/running-service.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

const MIDNIGHT = Date.parse('2026-01-20T00:00:00Z') / 1000;
const DAY = 86_400;
const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;

let proxy: FaultProxy;
let redis: RedisStandIn;
let redisProxy: FaultProxy;
let stripe: StripeStandIn;
let stripeProxy: FaultProxy;
let service: ChildService;
let settings: Record<string, string>;
let firstRun: FirstRun;
let names: string[];
let dataDirectory: string;
/** One service for all cases: acknowledged events count in later cases, even if a case fails. */
const senders: Sender[] = [];

beforeAll(async () => {
  proxy = await faultProxy(inject('server'));
  dataDirectory = mkdtempSync(join(tmpdir(), 'books-outage-'));
  redis = await redisStandIn();
  stripe = await start({ account: newAccount(MIDNIGHT) });
  redisProxy = await faultProxy(addressOf(redis.url));
  stripeProxy = await faultProxy(addressOf(stripe.url));
  settings = { DATA_DIR: dataDirectory, REDIS_URL: `redis://${hostOf(redisProxy)}` };
  names = [];
  for (const name of NAMES) {
    const { host, port, user, password, dbName } = proxy.to(await serviceTarget(name));
    names.push(dbName);
    settings[`${name.toUpperCase()}_DATABASE_URL`] =
      `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${dbName}`;
  }
  service = await run('one-process', [], settings);
  firstRun = firstRunOf(dataDirectory);
});

afterAll(async () => {
  service.child.kill('SIGKILL');
  await service.ended;
  await Promise.all([proxy, redisProxy, stripeProxy].map((each) => each.close()));
  await redis.close();
  await stripe.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

/** At most two attempts per second of actual time, because a busy machine waits longer than planned. */
async function expectFewAttempts(milliseconds: number): Promise<void> {
  const [began, before] = [performance.now(), proxy.attempts()];
  await pause(milliseconds);
  expect(proxy.attempts() - before).toBeLessThanOrEqual((2 * (performance.now() - began)) / 1000 + 4);
}

const faults: Record<string, () => Promise<void>> = {
  async 'refused for three seconds'() {
    proxy.set('refuse');
    proxy.cut('reset');
    await expectFewAttempts(3_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  },
  async 'frozen for eight seconds'() {
    proxy.set('freeze');
    await expectFewAttempts(8_000);
  },
  async 'full of garbage for a second'() {
    proxy.set('garbage');
    // How long the disturbance lasts.
    await pause(1_000);
  },
  async 'cut ten times, in an orderly way and by resets'() {
    for (let time = 0; time < 10; time++) {
      proxy.cut(time % 2 === 0 ? 'end' : 'reset');
      await pause(150);
    }
  },
  async slow() {
    proxy.delay(50);
    // How long the disturbance lasts.
    await pause(2_000);
  },
  async 'half-open on existing connections'() {
    proxy.swallow();
    await pause(500);
  },
  async 'without its backends, which were killed'() {
    for (let time = 0; time < 3; time++) {
      await withClient({ ...inject('server'), dbName: 'postgres' }, (client) =>
        client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [names]),
      );
      await pause(300);
    }
  },
};

it.each(Object.keys(faults))('%s: it is ready again, and every acknowledged event is stored once', async (name) => {
  const sender = new Sender(service.url, firstRun.live_ingest_key);
  senders.push(sender);
  onTestFinished(async () => {
    proxy.set('none');
    proxy.delay(0);
    await sender.stop();
  });
  await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(5 * BATCH), PATIENCE);
  await faults[name]!();
  proxy.set('none');
  proxy.delay(0);
  await vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), {
    ...PATIENCE,
    interval: 100,
  });
  const before = sender.acknowledged;
  await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(before + 5 * BATCH), PATIENCE);
  await sender.stop();
  const acknowledged = senders.reduce((sum, each) => sum + each.acknowledged, 0);
  // In rare cases a request still uses a dead connection that nobody has noticed yet.
  await vi.waitFor(() => expectEvents(service.url, firstRun, acknowledged), { ...PATIENCE, interval: 500 });
  // Connections do not accumulate: at most those of four databases, each with a listener and pools for writing (16),
  // reading (8) and point reads (4).
  expect(proxy.open()).toBeLessThanOrEqual(4 * (1 + 16 + 8 + 4));
  expect(service.child.exitCode).toBe(null);
});

function addressOf(url: string): { host: string; port: number } {
  return { host: '127.0.0.1', port: Number(new URL(url).port) };
}

function hostOf(through: FaultProxy): string {
  const { host, port } = through.to({ host: '', port: 0 });
  return `${host}:${port}`;
}

/** Unavailable dependencies, in each state. */
const AWAY = ['refuse', 'freeze', 'garbage'] as const;

it('Redis unavailable, frozen or returning garbage: requests are served, readiness reports it, and Redis counts again', async () => {
  const states = async () => {
    expect((await get(service.url, '/ping', firstRun.live_read_key)).status).toBe(200);
    const answer = await fetch(`${service.url}/readyz`);
    return [answer.status, ((await answer.json()) as { redis: string }).redis];
  };
  for (const how of AWAY) {
    redisProxy.set(how);
    if (how === 'refuse') redisProxy.cut('reset');
    await vi.waitFor(async () => expect(await states()).toEqual([200, 'unreachable']), PATIENCE);
    redisProxy.set('none');
    await vi.waitFor(async () => expect(await states()).toEqual([200, 'ok']), { ...PATIENCE, interval: 200 });
  }
});

it('Stripe unavailable or returning garbage: everything else is served, the sync reports why, and ends once it is back', async () => {
  const { operator_token: operator, organization_id: organization } = firstRun;
  const ask = async (query: string, variables = {}) =>
    (await graphql(service.url, operator, query, variables, organization)).body.data;
  const customer = addCustomer(stripe.account, { name: 'Customer one', metadata: { user_id: 'u1' } });
  addInvoice(stripe.account, { customer, lines: [{ amount: 300, start: MIDNIGHT, end: MIDNIGHT + 3 * DAY }] });
  const input = { apiKey: [...stripe.keys.keys()][0], apiBase: `http://${hostOf(stripeProxy)}` };
  await ask(
    'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id } userErrors { message } } }',
    { input },
  );
  const sync = async (waitSeconds: number) =>
    (
      await ask(
        `mutation { revenueSync(input: { waitSeconds: ${waitSeconds}, full: true }) { run { state error } userErrors { message } } }`,
      )
    ).revenueSync.run;
  for (const how of ['refuse', 'garbage'] as const) {
    stripeProxy.set(how);
    stripeProxy.cut('reset');
    await vi.waitFor(async () => expect((await sync(5)).error).toMatch(/cannot be reached/), PATIENCE);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await post(service.url, '/usage-events', firstRun.live_ingest_key, 'no JSON')).status).toBe(400);
    stripeProxy.set('none');
    await vi.waitFor(async () => expect((await sync(10)).state).toBe('FINISHED'), PATIENCE);
  }
  const window = '?start_date=2026-01-20&end_date=2026-01-24';
  const margin = await get(service.url, `/margin-data/by-end-user${window}`, firstRun.live_read_key);
  expect(margin.body.org_total.total_revenue).toBe('3');
});

it('the log has only a few lines about all these outages', () => {
  const lines = service
    .output()
    .split('\n')
    .filter((line) => /"msg":"(The database server is|Jobs |A job |Notifications)/.test(line));
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.length).toBeLessThan(60);
});

it('SIGTERM ends each process while the database is refused or frozen, and Redis and Stripe with it', async () => {
  const jobs = await Promise.all(
    ['refuse', 'freeze'].map(() => run('jobs', ['costing'], { ...settings, GATEWAY_URL: service.url })),
  );
  proxy.set('refuse');
  proxy.cut();
  await vi.waitFor(() => expect(jobs[0]!.output()).toContain('Jobs are waiting'), PATIENCE);
  expect(await terminate(jobs[0]!)).toBe(0);

  proxy.set('none');
  for (const { url } of [service, jobs[1]!]) {
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      ...PATIENCE,
      interval: 100,
    });
  }
  const sender = new Sender(service.url, firstRun.live_ingest_key);
  await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(BATCH), PATIENCE);
  // Everything at once: a sync waits for Stripe, counts wait for Redis, and everything else for the database.
  stripeProxy.set('freeze');
  const sync =
    'mutation { revenueSync(input: { waitSeconds: 1, full: true }) { run { state } userErrors { message } } }';
  await graphql(service.url, firstRun.operator_token, sync, {}, firstRun.organization_id);
  redisProxy.set('freeze');
  proxy.set('freeze');
  void sender.stop().catch(() => {});
  const ending = Promise.all([terminate(service), terminate(jobs[1]!)]);
  // The processes' own limit is ten seconds; the rest is for a busy machine.
  await vi.waitFor(() => expect(service.child.exitCode).toBe(0), PATIENCE);
  await vi.waitFor(() => expect(jobs[1]!.child.exitCode).toBe(0), PATIENCE);
  expect(await ending).toEqual([0, 0]);
});
