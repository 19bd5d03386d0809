import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fairShare, type FairShareLimits } from '#platform/database/fair-share.ts';
import { type Database, openDatabase } from '#platform/database/open-database.ts';
import { liftTimeLimit, query } from '#platform/database/sql.ts';
import { attribution } from '../../subgraphs/attribution/main.ts';
import { freshDatabase, freshTarget } from '../support/fresh-database.ts';

const LIMITS: FairShareLimits = {
  places: 3,
  placesEach: 2,
  placesContended: 2,
  waitingEach: 3,
  waitMilliseconds: 60_000,
};

/** Work that ends on request; `begun` contains the names in the order in which they got a slot. */
function workshop(limits: Partial<FairShareLimits> = {}) {
  const share = fairShare({ ...LIMITS, ...limits });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string) =>
    share.run(
      name[0]!,
      () =>
        new Promise<void>((resolve) => {
          begun.push(name);
          ends.set(name, resolve);
        }),
    );
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  return { begun, begin, end };
}

describe('a fair share', () => {
  it('gives no organization more than its slots, and leaves the others to the next', async () => {
    const { begun, begin, end } = workshop();
    for (const name of ['a1', 'a2', 'a3', 'b1']) void begin(name);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['a1', 'a2', 'a3', 'b1']) await end(name);
  });

  it('gives an organization fewer slots while another is served, and all of them afterwards', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { begun, begin, end } = workshop({ places: 4, placesEach: 3, placesContended: 1 });
      for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'a4']) void begin(name);
      expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
      for (const name of ['a1', 'a2']) await end(name);
      expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
      await end('a3');
      expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
      vi.advanceTimersByTime(1_001);
      for (const name of ['a5', 'a6', 'a7']) void begin(name);
      expect(begun.slice(5)).toEqual(['a5', 'a6']);
      for (const name of ['b1', 'b2', 'a4', 'a5', 'a6', 'a7']) await end(name);
    } finally {
      vi.useRealTimers();
    }
  });

  it('serves waiting organizations in turn, whoever asked more often', async () => {
    const { begun, begin, end } = workshop({ places: 1, placesEach: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void begin(name);
    for (let turn = 0; turn < 6; turn++) await end(begun.at(-1)!);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('refuses work beyond the queue, for that organization only', async () => {
    const { begun, begin, end } = workshop();
    const accepted = ['a1', 'a2', 'a3', 'a4', 'a5'].map(begin);
    await expect(begin('a6')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { retryAfterSeconds: 1 } });
    const other = begin('b1');
    for (const name of ['b1', 'a1', 'a2', 'a3', 'a4', 'a5']) await end(name);
    await Promise.all([...accepted, other]);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5']);
  });

  it('refuses work that has waited too long, and gives its slot to nobody', async () => {
    const { begun, begin, end } = workshop({ waitMilliseconds: 1 });
    for (const name of ['a1', 'a2']) void begin(name);
    await expect(begin('a3')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await end('a1');
    void begin('a4');
    expect(begun).toEqual(['a1', 'a2', 'a4']);
  });

  it('reports an unavailable server that all are waiting for', async () => {
    const share = fairShare({ ...LIMITS, waitMilliseconds: 1, waitingEach: 1 }, async () => new Error('It is away'));
    for (const name of ['a1', 'a2']) void share.run('a', () => new Promise(() => name));
    const [late, beyond] = [share.run('a', async () => 1), share.run('a', async () => 1)];
    await expect(beyond).rejects.toThrow('It is away');
    await expect(late).rejects.toThrow('It is away');
  });

  it('releases the slot if the work fails', async () => {
    const share = fairShare({ ...LIMITS, places: 1 });
    await expect(share.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await share.run('a', () => Promise.resolve(1))).toBe(1);
  });
});

describe('a database under many requests of one organization', () => {
  const [greedy, other] = [randomUUID(), randomUUID()];
  let database: Database;
  beforeAll(async () => {
    database = await freshDatabase(attribution);
  });
  afterAll(() => database.close());

  it.each([
    [
      'read',
      12,
      (organizationId: string, seconds: number) =>
        database.snapshot(organizationId, (tx) => query(tx, 'select pg_sleep($1::float8)', [seconds])),
    ],
    [
      'write',
      24,
      (organizationId: string, seconds: number) =>
        database.write(organizationId, (tx) => query(tx, 'select pg_sleep($1::float8)', [seconds])),
    ],
  ] as const)('answers the %s of another before any of the slow ones', async (_kind, count, work) => {
    const ended: string[] = [];
    const slow = Array.from({ length: count }, () => work(greedy, 1).then(() => ended.push('greedy')));
    await work(other, 0).then(() => ended.push('other'));
    await Promise.all(slow);
    expect(ended.indexOf('other')).toBe(0);
  });

  it('stops a slow statement: a read may request less, a write may be retried, an operator waits', async () => {
    const hasty = await openDatabase({ ...attribution, target: await freshTarget('attribution'), statementSeconds: 1 });
    try {
      const sleep = 'select pg_sleep(20)';
      await expect(hasty.snapshot(other, (tx) => query(tx, sleep))).rejects.toMatchObject({
        code: 'UNPROCESSABLE_ENTITY',
        message: expect.stringContaining('1 seconds'),
      });
      await expect(hasty.write(other, (tx) => query(tx, sleep))).rejects.toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        details: { retryAfterSeconds: 1 },
      });
      await hasty.write(other, async (tx) => {
        await liftTimeLimit(tx);
        await query(tx, 'select pg_sleep(1.5)');
      });
      expect(await hasty.snapshot(other, (tx) => query(tx, 'select 1 as one'))).toEqual([{ one: 1 }]);
    } finally {
      await hasty.close();
    }
  });
});
