/**
 * Problems of a real server under load, with PostgreSQL's real errors: 53300, 25006, 53100, a freeze, a killed
 * backend.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { startTroubledServer, type Trouble, type TroubledServer } from '../../bench/outage/troubled-server.ts';
import { get, post } from '../support/api-client.ts';
import { BATCH, type ChildService, expectEvents, firstRunOf, launch, run, Sender } from '../support/child-service.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import type { FirstRun } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

let server: TroubledServer;
let proxy: FaultProxy;
let service: ChildService;
let firstRun: FirstRun;
let dataDirectory: string;
let settings: Record<string, string>;
/** One service for all cases: acknowledged events count in later cases, even if a case fails. */
const senders: Sender[] = [];

beforeAll(async () => {
  server = await startTroubledServer(realpathSync(mkdtempSync(join(tmpdir(), 'books-troubles-'))));
  proxy = await faultProxy(server.postgres);
  dataDirectory = mkdtempSync(join(tmpdir(), 'books-troubles-data-'));
  const { host, port, user, password } = proxy.to(server.postgres);
  settings = { DATA_DIR: dataDirectory, DATABASE_URL: `postgresql://${user}:${password}@${host}:${port}/postgres` };
  service = await run('one-process', [], settings);
  firstRun = firstRunOf(dataDirectory);
});

afterAll(async () => {
  service.child.kill('SIGKILL');
  await service.ended;
  await proxy.close();
  await server.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const SECONDS = 4;

/**
 * At most two attempts per second. Connections that enlarge the pool of a reachable server are not reconnect attempts.
 * A busy machine waits longer than planned, so the actual time is measured.
 */
async function expectFewAttempts(): Promise<void> {
  const [began, attempts, open] = [performance.now(), proxy.attempts(), proxy.open()];
  await pause(SECONDS * 1000);
  const grown = Math.max(proxy.open() - open, 0);
  const seconds = (performance.now() - began) / 1000;
  expect(proxy.attempts() - attempts - grown).toBeLessThanOrEqual(2 * seconds + 4);
}

const readyz = async () => {
  const answer = await fetch(`${service.url}/readyz`);
  return { status: answer.status, states: Object.values(((await answer.json()) as { databases: object }).databases) };
};

it.for<[Trouble, string | null]>([
  ['one backend killed', null],
  ['read-only', 'read-only'],
  ['too many clients', 'overloaded'],
  ['frozen', 'unresponsive'],
  ['disk full', 'disk full'],
])(
  '%s: 503 in the meantime, few attempts, then every acknowledged event is stored once',
  async ([trouble, state], { skip }) => {
    skip(!server.troubles.includes(trouble), 'A full disk needs a file system that only root can mount');
    const sender = new Sender(service.url, firstRun.live_ingest_key);
    senders.push(sender);
    onTestFinished(async () => void (await sender.stop()));
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(5 * BATCH), PATIENCE);
    const end = await server.begin(trouble);
    try {
      if (state !== null) {
        await vi.waitFor(async () => expect((await readyz()).states).toContain(state), PATIENCE);
        expect((await readyz()).status).toBe(503);
        const refused = await post(service.url, '/usage-events', firstRun.live_ingest_key, usageEvent());
        // On a full disk, rows that fit into existing pages can still be written.
        if (trouble !== 'disk full' || refused.status !== 202) {
          expectEnvelope(refused, 503, 'SERVICE_UNAVAILABLE');
          expect(refused.headers.get('retry-after')).toBe('5');
        }
        await expectFewAttempts();
      }
    } finally {
      await end();
    }
    await vi.waitFor(async () => expect((await readyz()).status).toBe(200), { ...PATIENCE, interval: 100 });
    const before = sender.acknowledged;
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(before + 5 * BATCH), PATIENCE);
    await sender.stop();
    const acknowledged = senders.reduce((sum, each) => sum + each.acknowledged, 0);
    await vi.waitFor(() => expectEvents(service.url, firstRun, acknowledged), { ...PATIENCE, interval: 500 });
    expect((await get(service.url, '/ping', firstRun.live_read_key)).status).toBe(200);
    expect(service.child.exitCode).toBe(null);
  },
);

it.for<[Trouble, string]>([
  ['read-only', 'read-only'],
  ['disk full', 'disk full'],
  ['frozen', 'unresponsive'],
  ['too many clients', 'overloaded'],
])('SIGTERM ends the process under load during the trouble: %s', async ([trouble, state], { skip }) => {
  skip(!server.troubles.includes(trouble), 'A full disk needs a file system that only root can mount');
  if (service.child.exitCode !== null) service = await run('one-process', [], settings);
  const sender = new Sender(service.url, firstRun.live_ingest_key);
  await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(BATCH), PATIENCE);
  const end = await server.begin(trouble);
  try {
    await vi.waitFor(async () => expect((await readyz()).states).toContain(state), PATIENCE);
    service.child.kill('SIGTERM');
    await vi.waitFor(() => expect(service.child.exitCode).not.toBe(null), PATIENCE);
    expect(service.output()).not.toContain('Not stopped cleanly');
    expect(service.child.exitCode).toBe(0);
  } finally {
    await end();
    void sender.stop();
  }
});

it.each([0, 300, 1_000, 2_500])('SIGTERM ends a process that started %d ms ago', async (milliseconds) => {
  const starting = await launch('one-process', [], settings);
  onTestFinished(() => void starting.child.kill('SIGKILL'));
  await pause(milliseconds);
  starting.child.kill('SIGTERM');
  await vi.waitFor(() => expect(starting.child.exitCode ?? starting.child.signalCode).not.toBe(null), PATIENCE);
});

it('SIGTERM ends a process that starts while the server is frozen', async () => {
  const end = await server.begin('frozen');
  try {
    const starting = await launch('one-process', [], settings);
    onTestFinished(() => void starting.child.kill('SIGKILL'));
    // Nothing that the process reports shows when it begins to wait for the server.
    await pause(3_000);
    starting.child.kill('SIGTERM');
    await vi.waitFor(() => expect(starting.child.exitCode ?? starting.child.signalCode).not.toBe(null), PATIENCE);
  } finally {
    await end();
  }
});
