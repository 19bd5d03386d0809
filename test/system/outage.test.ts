/** The real processes, with a proxy between them and PostgreSQL: nothing acknowledged is lost or counted twice, whatever happens to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { withClient } from '../../platform/database/prepare-database.ts';
import { get, graphql, settle, sign } from '../support/api-client.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { freshTarget } from '../support/fresh-database.ts';
import type { FirstRun } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const NAMES = ['identity', 'costing', 'attribution', 'revenue'] as const;
const SECRET = randomBytes(32).toString('hex');
const BATCH = 10;
const COST = '0.000000000000001';

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

async function run(script: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [`start/${script}.ts`, ...args], {
    env: { ...process.env, LOG_LEVEL: 'info', SERVICE_SECRET: SECRET, INGEST_RATE_LIMIT: '100000;w=60', READ_RATE_LIMIT: '100000;w=60', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => { output += text.toString(); });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const running = { child, url: `http://127.0.0.1:${port}`, output: () => output, ended };
  await vi.waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`It ended:\n${output}`);
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
  }, { timeout: 60_000, interval: 100 });
  return running;
}

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'books-outage-'));
  onCleanUp.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

const onCleanUp: (() => void)[] = [];
afterAll(() => onCleanUp.forEach((cleanUp) => cleanUp()));

async function stop({ child, ended }: Running): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

/** Sends batches as a careful client does: each until it is acknowledged, with the same keys. */
class Sender {
  acknowledged = 0;
  #isStopping = false;
  readonly #sending: Promise<void>[];

  constructor(url: string, key: string, senders = 2) {
    this.#sending = Array.from({ length: senders }, () => this.#send(url, key));
  }

  async stop(): Promise<number> {
    this.#isStopping = true;
    await Promise.all(this.#sending);
    return this.acknowledged;
  }

  async #send(url: string, key: string): Promise<void> {
    while (!this.#isStopping) {
      const body = JSON.stringify(Array.from({ length: BATCH }, () => usageEvent({ cost_override: COST, event_invoked_at: '2026-01-15T12:00:00Z' })));
      while (!await this.#isAcknowledged(url, key, body)) await pause(100);
      this.acknowledged += BATCH;
      await pause(20);
    }
  }

  async #isAcknowledged(url: string, key: string, body: string): Promise<boolean> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    try {
      const answer = await fetch(`${url}/v1/usage-events/batch`, {
        method: 'POST', body,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-timestamp': timestamp, 'x-signature': sign(key, timestamp, body) },
      });
      const { failed } = await answer.json() as { failed?: number };
      return answer.status === 202 && failed === 0;
    } catch {
      return false;
    }
  }
}

function firstRunOf(dataDirectory: string): FirstRun {
  return JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
}

/** Every event once: accepted, priced and attributed. */
async function expectEvents(url: string, { operator_token: operator, organization_id: organization, live_read_key: key }: FirstRun, count: number): Promise<void> {
  await settle(url, operator, 60_000);
  const range = 'start_date=2026-01-01&end_date=2026-02-01';
  const { body: usage } = await get(url, `/usage/summary?${range}`, key);
  const { body: models } = await get(url, `/cost-data/by-model?${range}`, key);
  expect([usage.total_events, models.models[0].event_count, models.total_cost]).toEqual([count, count, (count / 1e15).toFixed(15).replace(/0+$/, '')]);
  const { body: books } = await graphql(url, operator, '{ verifyCosting { differences } verifyAttribution { differences } }', {}, organization);
  expect([...books.data.verifyCosting, ...books.data.verifyAttribution].flatMap(({ differences }) => differences)).toEqual([]);
}

describe('a database of one\'s own', () => {
  let proxy: FaultProxy;
  let service: Running;
  let settings: Record<string, string>;
  let firstRun: FirstRun;
  let names: string[];
  let acknowledged = 0;

  beforeAll(async () => {
    proxy = await faultProxy(inject('server'));
    const dataDirectory = directory();
    settings = { DATA_DIR: dataDirectory };
    names = [];
    for (const name of NAMES) {
      const { host, port, user, password, dbName } = proxy.to(await freshTarget(name));
      names.push(dbName);
      settings[`${name.toUpperCase()}_DATABASE_URL`] = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${dbName}`;
    }
    service = await run('one-process', [], settings);
    firstRun = firstRunOf(dataDirectory);
  }, 90_000);

  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await proxy.close();
  });

  const faults: Record<string, () => Promise<void>> = {
    async 'refused for three seconds'() {
      proxy.set('refuse');
      proxy.cut('reset');
      const before = proxy.attempts();
      await pause(3_000);
      expect(proxy.attempts() - before).toBeLessThanOrEqual(2 * 3 + 4);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    },
    async 'frozen for eight seconds'() {
      const before = proxy.attempts();
      proxy.set('freeze');
      await pause(8_000);
      expect(proxy.attempts() - before).toBeLessThanOrEqual(2 * 8 + 4);
    },
    async 'full of garbage for a second'() {
      proxy.set('garbage');
      await pause(1_000);
    },
    async 'cut ten times, in order and by resets'() {
      for (let time = 0; time < 10; time++) {
        proxy.cut(time % 2 === 0 ? 'end' : 'reset');
        await pause(150);
      }
    },
    async 'slow'() {
      proxy.delay(50);
      await pause(2_000);
    },
    async 'half-open for what is connected'() {
      proxy.swallow();
      await pause(500);
    },
    async 'rid of every backend'() {
      for (let time = 0; time < 3; time++) {
        await withClient({ ...inject('server'), dbName: 'postgres' }, (client) => client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [names]));
        await pause(300);
      }
    },
  };

  it.each(Object.keys(faults))('%s: it is ready again, and every acknowledged event is there once', async (name) => {
    const sender = new Sender(service.url, firstRun.live_ingest_key);
    const sent = acknowledged;
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(5 * BATCH), { timeout: 20_000 });
    await faults[name]!();
    proxy.set('none');
    proxy.delay(0);
    await vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), { timeout: 20_000, interval: 100 });
    const before = sender.acknowledged;
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(before + 5 * BATCH), { timeout: 30_000 });
    acknowledged = sent + await sender.stop();
    await expectEvents(service.url, firstRun, acknowledged);
    // Four listeners, and never more than the pools hold.
    expect(proxy.open()).toBeLessThanOrEqual(4 * (1 + 16 + 8 + 4));
    expect(service.child.exitCode).toBe(null);
  }, 120_000);

  it('the log has few lines about it all', () => {
    const lines = service.output().split('\n').filter((line) => /unavailable|available again|Jobs/.test(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.length).toBeLessThan(60);
  });

  it('SIGTERM ends each process while the database is refused or frozen', async () => {
    const jobs = await Promise.all(['refuse', 'freeze'].map(() => run('jobs', ['costing'], { ...settings, GATEWAY_URL: service.url })));
    proxy.set('refuse');
    proxy.cut();
    await vi.waitFor(() => expect(jobs[0]!.output()).toContain('Jobs wait'), { timeout: 10_000 });
    expect(await stop(jobs[0]!)).toBe(0);

    proxy.set('none');
    for (const { url } of [service, jobs[1]!]) {
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { timeout: 20_000, interval: 100 });
    }
    const sender = new Sender(service.url, firstRun.live_ingest_key);
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(BATCH), { timeout: 20_000 });
    proxy.set('freeze');
    void sender.stop().catch(() => {});
    const began = performance.now();
    await Promise.all([stop(service), stop(jobs[1]!)]);
    // The limit of the process itself, and what a busy machine adds.
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 90_000);
});

describe('the embedded database', () => {
  it('is started again when it is killed, and the process ends when that cannot be done', async () => {
    const dataDirectory = directory();
    const service = await run('one-process', [], { DATA_DIR: dataDirectory });
    onTestFinished(async () => {
      service.child.kill('SIGKILL');
      await service.ended;
    });
    const firstRun = firstRunOf(dataDirectory);
    const location = readLocation(dataDirectory);
    const postmaster = () => Number(readFileSync(join(location, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

    const sender = new Sender(service.url, firstRun.live_ingest_key);
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(5 * BATCH), { timeout: 20_000 });
    const first = postmaster();
    process.kill(first, 'SIGKILL');
    await vi.waitFor(() => expect(postmaster()).not.toBe(first), { timeout: 20_000 });
    const before = sender.acknowledged;
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(before + 5 * BATCH), { timeout: 30_000 });
    await expectEvents(service.url, firstRun, await sender.stop());

    writeFileSync(join(location, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    process.kill(postmaster(), 'SIGKILL');
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(/The database could not be started again; the service ends\. [^]*no_such_setting/);
  }, 180_000);
});

function readLocation(dataDirectory: string): string {
  try {
    return readFileSync(join(dataDirectory, 'postgres-location'), 'utf8').trim();
  } catch {
    return dataDirectory;
  }
}
