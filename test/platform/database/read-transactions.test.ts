import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import type { Statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import { attribution } from '../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

const [ours, theirs] = [randomUUID(), randomUUID()];
const KEYS = 'select key from dimension order by key';
const ADD = 'insert into dimension (organization_id, key, label, registered_at) values ($1, $2, $2, now())';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(attribution);
  for (const [organizationId, key] of [
    [ours, 'team'],
    [theirs, 'secret'],
  ] as const)
    await database.write(organizationId, (tx) => query(tx, ADD, [organizationId, key]));
});
afterAll(() => database.close());

it('a snapshot of the ORM sees only its organization, at one moment, and writes nothing', async () => {
  const look = (tx: WriteTransaction) => query<{ key: string }>(tx, KEYS).then((rows) => rows.map(({ key }) => key));
  const seen = await database.entitySnapshot(ours, async (tx) => {
    const before = await look(tx);
    await database.system((other) => query(other, ADD, [ours, 'later']));
    return [before, await look(tx)];
  });
  expect(seen).toEqual([['team'], ['team']]);
  await expect(database.entitySnapshot(ours, (tx) => query(tx, ADD, [ours, 'never']))).rejects.toThrow();
  await database.system((tx) =>
    query(tx, "delete from dimension where organization_id = $1 and key = 'later'", [ours]),
  );
});

const keysOf = (organizationId: string) =>
  database
    .snapshot(organizationId, (tx) => query<{ key: string }>(tx, KEYS))
    .then((rows) => rows.map(({ key }) => key));

describe('a transaction that reads', () => {
  it('sees only the rows of its organization, whoever used the connection before', async () => {
    for (let round = 0; round < 5; round++) {
      expect(await keysOf(ours)).toEqual(['team']);
      expect(await keysOf(theirs)).toEqual(['secret']);
      expect(await keysOf(randomUUID())).toEqual([]);
    }
    const many = await Promise.all(Array.from({ length: 60 }, (_, index) => keysOf(index % 2 === 0 ? ours : theirs)));
    expect(many).toEqual(many.map((_, index) => [index % 2 === 0 ? 'team' : 'secret']));
  });

  it.each(['no uuid', "'; set role postgres; --"])(
    'sees nothing for an organization like %j',
    async (organizationId) => {
      await expect(keysOf(organizationId)).rejects.toThrow(/uuid/);
      expect(await keysOf(ours)).toEqual(['team']);
    },
  );

  it('has the serving role, and writes nothing', async () => {
    expect(await database.snapshot(ours, (tx) => queryOne(tx, 'select current_user::text as role'))).toEqual({
      role: 'attribution_serving',
    });
    await expect(database.snapshot(ours, (tx) => query(tx, ADD, [ours, 'more']))).rejects.toMatchObject({
      code: '25006',
    });
  });

  it('has one snapshot for all its statements', async () => {
    const counts = await database.snapshot(ours, async (tx) => {
      const before = await query(tx, KEYS);
      await database.write(ours, (tx) => query(tx, ADD, [ours, 'later']));
      return [before.length, (await query(tx, KEYS)).length];
    });
    expect(counts).toEqual([1, 1]);
    expect(await keysOf(ours)).toEqual(['later', 'team']);
  });

  it('ends whatever happens in it, without affecting other transactions', async () => {
    const refusal = new Error('not found');
    await expect(database.snapshot(theirs, () => Promise.reject(refusal))).rejects.toBe(refusal);
    await expect(
      database.snapshot(theirs, (tx) => Promise.all([query(tx, 'select 1 / 0'), query(tx, KEYS)])),
    ).rejects.toMatchObject({ code: '22012' });
    await expect(database.snapshot(theirs, (tx) => query(tx, 'select nonsense'))).rejects.toMatchObject({
      code: '42703',
    });
    expect(await keysOf(theirs)).toEqual(['secret']);
    const open = () =>
      withClient(
        database.target,
        async (client) =>
          (
            await client.query(
              "select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
            )
          ).rows,
      );
    await expect.poll(open).toEqual([]);
  });

  it('fails if its connection is lost, and the next transaction has another connection', async () => {
    const lost = database.snapshot(ours, (tx) => query(tx, 'select pg_sleep(30)'));
    const ended = withClient(database.target, async (client) => {
      for (let rows: unknown[] = []; rows.length === 0;) {
        rows = (
          await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)%' and pid <> pg_backend_pid()",
          )
        ).rows;
      }
    });
    await expect(lost).rejects.toThrow();
    await ended;
    expect(await keysOf(theirs)).toEqual(['secret']);
  });

  it("is prepared again when a migration changes a statement's result", async () => {
    const all = () => database.snapshot(theirs, (tx) => query(tx, 'select * from dimension'));
    expect(Object.keys((await all())[0] as object)).not.toContain('note');
    await withClient(database.target, (client) => client.query('alter table dimension add note text'));
    for (let tries = 0; tries < 20; tries++) await all().catch(() => {});
    expect(Object.keys((await all())[0] as object)).toContain('note');
  });
});

describe('a transaction of one statement', () => {
  const once = (organizationId: string, text = KEYS) =>
    database.find(organizationId, (tx) => query<{ key: string }>(tx, text));

  it('sees only the rows of its organization, however many run at once', async () => {
    const many = await Promise.all(Array.from({ length: 60 }, (_, index) => once(index % 2 === 0 ? ours : theirs)));
    for (const [index, rows] of many.entries())
      expect(rows.map(({ key }) => key).includes('secret')).toBe(index % 2 === 1);
    expect(await once(randomUUID())).toEqual([]);
    await expect(once("'; set role postgres; --")).rejects.toThrow(/uuid/);
  });

  it('writes nothing, and a failure leaves nothing behind', async () => {
    await expect(database.find(ours, (tx) => query(tx, ADD, [ours, 'more']))).rejects.toMatchObject({
      code: '25006',
    });
    await expect(once(theirs, 'select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(database.find(theirs, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect((await once(theirs)).map(({ key }) => key)).toEqual(['secret']);
  });

  it('continues if a statement failed the first time, at any point, or fails now and then', async () => {
    const halved = (number: string) =>
      database.find(ours, (tx) => query<{ half: number }>(tx, 'select 100 / $1::int as half', [number]));
    const named = (name: string) =>
      database.find(ours, (tx) => query<{ name: string }>(tx, 'select to_regclass($1)::text as name', [name]));
    for (let round = 0; round < 3; round++) {
      await expect(halved('none')).rejects.toMatchObject({ code: '22P02' });
      await expect(halved('0')).rejects.toMatchObject({ code: '22012' });
      expect(await halved('50')).toEqual([{ half: 2 }]);
      expect(await named('dimension')).toEqual([{ name: 'dimension' }]);
      await expect(database.find(ours, (tx) => query(tx, 'select nothing'))).rejects.toMatchObject({
        code: '42703',
      });
    }
  });

  it('returns values as other statements do', async () => {
    const text = `select 1 as one, null::text as none, 'ä' as text, true as yes, 1.50 as decimal, array['a', null] as list,
      '{"a": 1}'::jsonb as json, timestamptz '2026-01-01 12:00Z' as at, $1::timestamptz = $2::timestamptz as same, $3::text[] as texts`;
    const values = [new Date(0), '1970-01-01T00:00:00Z', ['x', 'y']];
    const expected = await database.write(ours, (tx) => query(tx, text, values));
    for (let round = 0; round < 2; round++) {
      expect(await database.find(ours, (tx) => query(tx, text, values))).toEqual(expected);
      expect(await database.snapshot(ours, (tx) => query(tx, text, values))).toEqual(expected);
    }
  });

  it.each([
    '0001-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-11-26T12:00:00.001Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])('passes the instant %s unchanged', async (iso) => {
    const text = 'select extract(epoch from $1::timestamptz)::numeric::text as seconds';
    const [row] = await database.find(ours, (tx) => query<{ seconds: string }>(tx, text, [new Date(iso)]));
    expect(Math.round(Number(row?.seconds) * 1_000)).toBe(new Date(iso).getTime());
  });

  it('sends no second statement, which would see another moment', async () => {
    const twice = database.find(theirs, async (tx) => {
      await query(tx, KEYS);
      return query(tx, KEYS);
    });
    await expect(twice).rejects.toThrow('A read for one statement sent a second one');
    expect((await once(theirs)).map(({ key }) => key)).toEqual(['secret']);
  });
});

describe('statements that are read together', () => {
  const together = (organizationId: string, text = KEYS, values: readonly unknown[] = []) =>
    database.find(organizationId, (tx) => tx.all(pointRead(text), values));
  const pointRead = (text: string): Statement<readonly unknown[], Record<string, unknown>> => ({
    text,
    sql: text,
    values: (input) => [...input],
    isPointRead: true,
  });
  const pid = (organizationId: string) =>
    together(organizationId, 'select pg_backend_pid() as pid').then(([row]) => row!['pid']);
  const halved = (number: number) => together(ours, 'select 100 / $1::int as half', [number]);

  it('share a connection if they are issued in one event-loop tick: up to sixteen statements of an organization', async () => {
    const pids = await Promise.all(Array.from({ length: 16 }, () => pid(ours)));
    expect(new Set(pids).size).toBe(1);
    const begun = (organizationId: string) =>
      together(organizationId, 'select now()::text as begun').then(([row]) => row!['begun']);
    const [more, others] = await Promise.all([
      Promise.all(Array.from({ length: 17 }, () => begun(ours))),
      Promise.all([begun(theirs), begun(theirs)]),
    ]);
    expect(new Set(more).size).toBe(2);
    expect(new Set(others).size).toBe(1);
    expect(more).not.toContain(others[0]);
  });

  it('see only the rows of their organization, however many run at once', async () => {
    const of = (index: number) => (index % 2 === 0 ? ours : theirs);
    const many = await Promise.all(Array.from({ length: 60 }, (_, index) => together(of(index))));
    for (const [index, rows] of many.entries())
      expect(rows.map(({ key }) => key).includes('secret')).toBe(of(index) === theirs);
    expect(await together(randomUUID())).toEqual([]);
    await expect(together("'; set role postgres; --")).rejects.toThrow(/uuid/);
    expect(await together(ours, "select current_setting('app.organization_id', true) as id")).toEqual([{ id: ours }]);
  });

  it('each get their own result if one fails, at any position', async () => {
    for (const failing of [0, 2, 4]) {
      const numbers = [1, 2, 4, 5, 10].map((number, index) => (index === failing ? 0 : number));
      const outcomes = await Promise.allSettled(numbers.map(halved));
      for (const [index, outcome] of outcomes.entries())
        expect(outcome).toMatchObject(
          index === failing
            ? { status: 'rejected', reason: { code: '22012' } }
            : { status: 'fulfilled', value: [{ half: 100 / numbers[index]! }] },
        );
    }
    const all = await Promise.allSettled([halved(0), halved(0), together(ours, 'select nothing'), halved(1)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  });

  it('are prepared again if the message that prepared them failed before it reached them', async () => {
    const texts = ['select 1 as one', 'select 2 as one', 'select 3 as one'];
    const outcomes = await Promise.allSettled([halved(0), ...texts.map((text) => together(ours, text))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    for (const [index, text] of texts.entries()) expect(await together(ours, text)).toEqual([{ one: index + 1 }]);
  });

  it('refuse a value that cannot be printed, and write nothing', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const [refused, whole] = await Promise.allSettled([together(ours, 'select $1::jsonb', [circular]), halved(50)]);
    expect(refused.status).toBe('rejected');
    expect(whole).toMatchObject({ value: [{ half: 2 }] });
    await expect(together(ours, ADD, [ours, 'more'])).rejects.toMatchObject({ code: '25006' });
    const twice = database.find(ours, async (tx) => {
      await tx.all(pointRead(KEYS), []);
      return tx.all(pointRead(KEYS), []);
    });
    await expect(twice).rejects.toThrow('A read for one statement sent a second one');
  });

  it('fail together if their connection is lost, and the next statements have another connection', async () => {
    const lost = Promise.allSettled([halved(1), together(ours, 'select pg_sleep(31)'), halved(2)]);
    await withClient(database.target, async (client) => {
      const text =
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(31)%' and pid <> pg_backend_pid()";
      while ((await client.query(text)).rows.length === 0);
    });
    expect((await lost).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await Promise.all([halved(1), halved(2)])).toEqual([[{ half: 100 }], [{ half: 50 }]]);
  });
});
