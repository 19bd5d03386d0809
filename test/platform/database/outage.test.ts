import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, it as test, vi } from 'vitest';
import { checkDatabase } from '#platform/database/check-database.ts';
import { type Database, openDatabase } from '#platform/database/open-database.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import { unavailability } from '#platform/unavailability.ts';
import { definitions } from '../../../start/definitions.ts';
import { freshTarget } from '../../support/fresh-database.ts';
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts';
import { MINUTES, PATIENCE } from '../../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

const definition = definitions.find(({ name }) => name === 'identity')!;
const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
/** A single organization gets only a part of the slots. */
const ORGANIZATIONS = Array.from({ length: 8 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
const lookUp = (text = 'select 1 as one') => statement<object>(text);

type Access = (text?: string) => Promise<unknown>;

/** A database behind its own proxy, with one of each kind of access to it. */
class ProxiedDatabase {
  readonly proxy: FaultProxy;
  database: Database;
  readonly accesses: Readonly<Record<'write' | 'read' | 'job' | 'look-up', Access>>;

  constructor(proxy: FaultProxy, database: Database) {
    this.proxy = proxy;
    this.database = database;
    let calls = 0;
    const organization = () => ORGANIZATIONS[calls++ % ORGANIZATIONS.length]!;
    this.accesses = {
      write: (text = 'select 1') => this.database.write(organization(), (tx) => query(tx, text)),
      read: (text = 'select 1') => this.database.snapshot(organization(), (tx) => query(tx, text)),
      job: (text = 'select 1') => this.database.system((tx) => query(tx, text)),
      'look-up': (text) => this.database.lookUps.find(lookUp(text), {}),
    };
  }

  all(): Promise<unknown> {
    return Promise.all(Object.values(this.accesses).map((access) => access()));
  }

  /** Runs each kind of access as many times as its pool has connections. */
  storm(times = 64): Promise<PromiseSettledResult<unknown>[]> {
    const accesses = Object.values(this.accesses);
    return Promise.allSettled(Array.from({ length: times }, (_, index) => accesses[index % 4]!()));
  }

  async isBack(): Promise<void> {
    await vi.waitFor(() => this.all(), { ...PATIENCE, interval: 100 });
    // Every connection of every pool works again.
    expect((await this.storm()).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(this.proxy.open()).toBeLessThanOrEqual(16 + 8 + 4);
  }

  /** Ends all its connections, as a stopping server does; they are closed when this returns. */
  terminate(): Promise<unknown> {
    return withClient({ ...inject('server'), dbName: 'postgres' }, (client) =>
      client.query(
        'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [this.database.target.dbName],
      ),
    );
  }
}

async function open(): Promise<ProxiedDatabase> {
  const direct = await freshTarget('identity');
  const proxy = await faultProxy(direct);
  return new ProxiedDatabase(proxy, await openDatabase({ ...definition, target: proxy.to(direct) }));
}

const it = test.extend<{ proxied: ProxiedDatabase }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of what a fixture needs
  proxied: async ({}, use) => {
    const proxied = await open();
    await use(proxied);
    await proxied.database.close();
    await proxied.proxy.close();
  },
});

describe('a server that refuses connections', () => {
  it('is tried at most twice a second, however many callers wait; they fail at once, and later all recover', async ({
    proxied,
  }) => {
    const { proxy } = proxied;
    await proxied.storm();
    proxy.set('refuse');
    proxy.cut();
    const [began, before] = [performance.now(), proxy.attempts()];
    while (performance.now() < began + 3_000) {
      for (const outcome of await proxied.storm()) {
        expect(outcome.status).toBe('rejected');
        expect(unavailability((outcome as PromiseRejectedResult).reason)).toMatchObject({ state: 'unreachable' });
      }
      await pause(20);
    }
    const seconds = (performance.now() - began) / 1000;
    expect(proxy.attempts() - before).toBeGreaterThan(1);
    expect(proxy.attempts() - before).toBeLessThanOrEqual(2 * seconds + 4);
    expect(proxy.open()).toBe(0);
    proxy.set('none');
    await proxied.isBack();
  });

  it('is not tried without callers', async ({ proxied }) => {
    const { proxy } = proxied;
    proxy.set('refuse');
    await expect(proxied.accesses.read()).rejects.toThrow(/is unavailable/);
    // Longer than the longest pause between two attempts.
    await pause(2_500);
    const before = proxy.attempts();
    // Time in which an attempt could be made.
    await pause(1_500);
    expect(proxy.attempts()).toBe(before);
    proxy.set('none');
    await proxied.isBack();
  });
});

describe('lost connections', () => {
  const names = ['write', 'read', 'job', 'look-up'] as const;
  it.for(names)(
    '%s: the running statement fails, and every connection of the pool works again',
    async (name, { proxied }) => {
      // Started at different times, because look-ups of one event-loop tick share a connection.
      const failing = Array.from({ length: 20 }, (_, index) =>
        pause(10 * index).then(() => proxied.accesses[name]('select pg_sleep(30)')),
      );
      await vi.waitFor(() => expect(proxied.proxy.open()).toBeGreaterThan(3), PATIENCE);
      const settled = Promise.allSettled(failing);
      while ((await Promise.race([settled, pause(200)])) === undefined) proxied.proxy.cut('reset');
      for (const { status } of await settled) expect(status).toBe('rejected');
      await proxied.isBack();
    },
  );

  it('all at once by the server, at every moment of a transaction', async ({ proxied }) => {
    for (const step of ['begin', 'select', 'commit'] as const) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 16 }, () =>
          proxied.database.write(ORGANIZATION, async (tx) => {
            if (step === 'begin') await proxied.terminate();
            await query(tx, 'select 1');
            if (step !== 'begin') await proxied.terminate();
            if (step === 'select') await query(tx, 'select 1');
          }),
        ),
      );
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failures.length).toBeGreaterThan(0);
      for (const { reason } of failures) expect(unavailability(reason)).not.toBeNull();
    }
    await proxied.isBack();
  });

  it('are replaced if they were idle', async ({ proxied }) => {
    await proxied.storm();
    await proxied.terminate();
    await proxied.isBack();
  });

  it('with garbage as response: that is an outage for probes too', async ({ proxied }) => {
    await proxied.storm();
    proxied.proxy.set('garbage');
    const until = performance.now() + 4_000;
    while (performance.now() < until) {
      for (const outcome of await proxied.storm())
        expect(unavailability((outcome as PromiseRejectedResult).reason)).toMatchObject({ state: 'unreachable' });
      await pause(50);
    }
    proxied.proxy.set('none');
    await proxied.isBack();
  });
});

// These tests wait for seconds to pass, so they run concurrently.
describe.concurrent('a server that does not respond', () => {
  it('frozen: running statements end in bounded time, few connections are tried, and it recovers', async ({
    proxied,
  }) => {
    const { proxy } = proxied;
    await proxied.storm();
    const before = proxy.attempts();
    proxy.set('freeze');
    const began = performance.now();
    for (const outcome of await proxied.storm()) {
      expect(unavailability((outcome as PromiseRejectedResult).reason)).not.toBeNull();
    }
    const seconds = (performance.now() - began) / 1000;
    expect(proxy.attempts() - before).toBeLessThanOrEqual(2 * Math.ceil(seconds) + 4);
    for (const { status } of await proxied.storm()) expect(status).toBe('rejected');
    proxy.set('none');
    await proxied.isBack();
  });

  it("frozen: a caller that waits for its organization's share learns about the server, not about the share", async ({
    proxied,
  }) => {
    const { proxy, database } = proxied;
    // The holders of the slots received data after the others began to wait, so nobody has checked yet.
    const step = 'select pg_sleep(4)';
    const holders = Array.from({ length: 9 }, (_, index) =>
      index % 3 === 0
        ? database.snapshot(ORGANIZATION, async (tx) => [await query(tx, step), await query(tx, step)])
        : database.write(ORGANIZATION, async (tx) => [await query(tx, step), await query(tx, step)]),
    );
    const waiting = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? database.write(ORGANIZATION, (tx) => query(tx, 'select 1'))
        : database.snapshot(ORGANIZATION, (tx) => query(tx, 'select 1')),
    );
    // Time in which a statement that was not sent could begin.
    await pause(5_000);
    proxy.set('freeze');
    for (const outcome of await Promise.allSettled([...waiting, ...holders])) {
      expect(unavailability((outcome as PromiseRejectedResult).reason)).toMatchObject({ state: 'unresponsive' });
    }
    proxy.set('none');
    await proxied.isBack();
  });

  it('frozen: a database can still be closed', async ({ proxied }) => {
    await proxied.storm();
    proxied.proxy.set('freeze');
    const requested = proxied.storm(4);
    await pause(100);
    await proxied.database.close();
    for (const { status } of await requested) expect(status).toBe('rejected');
    await vi.waitFor(() => expect(proxied.proxy.open()).toBe(0), PATIENCE);
    proxied.proxy.set('none');
    proxied.database = await openDatabase({ ...definition, target: proxied.proxy.to(await freshTarget('identity')) });
  });

  it('a slow statement is not interrupted', async ({ proxied }) => {
    await Promise.all([proxied.accesses.write('select pg_sleep(13)'), proxied.accesses.read('select pg_sleep(13)')]);
  });

  it('one connection whose response is lost is closed, and no other', async ({ proxied }) => {
    await proxied.accesses.job();
    proxied.proxy.swallow();
    const lost = proxied.accesses.job();
    const others = proxied.accesses.job('select pg_sleep(13)');
    await expect(lost).rejects.toThrow('The response to a statement did not arrive');
    await others;
    await proxied.isBack();
  });
});

describe('a server that has become read-only', () => {
  const setReadOnly = ({ database: { target } }: ProxiedDatabase, value: 'on' | 'off') =>
    withClient({ ...inject('server'), dbName: 'postgres' }, (client) =>
      client.query(`alter database ${target.dbName} set default_transaction_read_only = ${value}`),
    );
  const write = ({ database }: ProxiedDatabase) =>
    Promise.allSettled(
      ORGANIZATIONS.map((organization) =>
        database.write(organization, (tx) => query(tx, 'update organization set name = name where false')),
      ),
    );
  const isWritten = async (proxied: ProxiedDatabase) =>
    (await write(proxied)).every(({ status }) => status === 'fulfilled');

  it('keeps its connections, and is checked once a second while someone writes', async ({ proxied }) => {
    const { proxy } = proxied;
    await setReadOnly(proxied, 'on');
    await proxied.storm();
    await proxied.terminate();
    await proxied.isBack();
    const [began, attempts, open] = [performance.now(), proxy.attempts(), proxy.open()];
    while (performance.now() < began + 3_000) {
      for (const { status } of await write(proxied)) expect(status).toBe('rejected');
      expect((await proxied.storm(8)).filter(({ status }) => status === 'rejected')).toEqual([]);
      await pause(20);
    }
    const seconds = (performance.now() - began) / 1000;
    expect(proxy.attempts() - attempts - Math.max(proxy.open() - open, 0)).toBeLessThanOrEqual(seconds + 3);
    // Longer than the longest pause between two attempts.
    await pause(2_500);
    const rested = proxy.attempts();
    // Time in which an attempt could be made.
    await pause(1_500);
    expect(proxy.attempts()).toBe(rested);
    await setReadOnly(proxied, 'off');
  });

  it('and is replaced under the same name: all refused connections are replaced at once, however many', async ({
    proxied,
  }) => {
    // As at startup, before any fault.
    const check = await checkDatabase(proxied.database, 5_000);
    await setReadOnly(proxied, 'on');
    await proxied.storm();
    await proxied.terminate();
    for (const { status } of await write(proxied)) expect(status).toBe('rejected');
    expect(await check.state()).toBe('read-only');
    // As if the name now leads to another server: existing connections are unchanged.
    await setReadOnly(proxied, 'off');
    await vi.waitFor(async () => expect(await isWritten(proxied)).toBe(true), { ...PATIENCE, interval: 100 });
    expect(await check.state()).toBe('ok');
    await check.close();
    await proxied.isBack();
  });
});

it('every connection has its limits for locks and for idling in a transaction', async ({ proxied: { database } }) => {
  const SETTINGS =
    "select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle";
  const expected = { lock: '20s', idle: '1min' };
  expect(await database.snapshot(ORGANIZATION, (tx) => queryOne(tx, SETTINGS))).toEqual(expected);
  expect(await database.write(ORGANIZATION, (tx) => queryOne(tx, SETTINGS))).toEqual(expected);
  expect(await database.system((tx) => queryOne(tx, SETTINGS))).toEqual(expected);
  expect(await database.lookUps.find(lookUp(SETTINGS), {})).toEqual(expected);
});
