import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../platform/database/open-database.ts';
import { withClient } from '../../../../platform/database/prepare-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import { attribution } from '../../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(attribution);
});
afterAll(() => database.close());

const organizationId = randomUUID();
const ROWS = `
  select i, case when i % 3 = 0 then null else repeat('ä€😀"', i % 7 * 40) end as text, '' as nothing
  from generate_series(1, $1::int) as i`;

/** The columns of all rows. */
function read(text: string, parameters: readonly unknown[] = []): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  return database
    .readOnce(organizationId, (tx) =>
      tx.readEach(text, parameters, (row) => rows.push([row.text(0), row.text(1), row.text(2)])),
    )
    .then(() => rows);
}

describe('rows one by one, as bytes', () => {
  it('are not asked for with a value that cannot be printed, and the new connection goes on', async () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    await expect(read('select $1, 2, 3', [endless])).rejects.toThrow(/circular/);
    expect(await read('select 1, 2, 3')).toEqual([['1', '2', '3']]);
  });

  it('are asked for with any instant, beyond the year 9999 too', async () => {
    const later = new Date('+010000-01-01T00:00:00.000Z');
    expect(await read("select extract(year from $1::timestamptz at time zone 'UTC')::text, 2, 3", [later])).toEqual([
      ['10000', '2', '3'],
    ]);
  });

  // A few arrive in one piece, many in hundreds that end anywhere.
  it.each([0, 1, 100, 20_000])('are those that others read: %i', async (count) => {
    const others = await database.read(organizationId, (tx) => query<Record<string, unknown>>(tx, ROWS, [count]));
    expect(await read(ROWS, [count])).toEqual(others.map(({ i, text, nothing }) => [String(i), text, nothing]));
  });

  it('are read next to statements of the other kind', async () => {
    const texts: (string | null)[] = [];
    const [before, , after] = await database.read(organizationId, (tx) =>
      Promise.all([
        query(tx, 'select 1 as one'),
        tx.readEach('select 2 union all select 3 order by 1', [], (row) => texts.push(row.text(0))),
        query(tx, 'select 4 as four'),
      ]),
    );
    expect([before, texts, after]).toEqual([[{ one: 1 }], ['2', '3'], [{ four: 4 }]]);
  });

  it('stop where their reader fails, and the connection goes on', async () => {
    const refusal = new Error('no more');
    let taken = 0;
    const refused = database.readOnce(organizationId, (tx) =>
      tx.readEach(ROWS, [1_000], () => {
        taken += 1;
        if (taken === 3) throw refusal;
      }),
    );
    await expect(refused).rejects.toBe(refusal);
    expect(taken).toBe(3);
    expect(await read('select 1, 2, 3')).toEqual([['1', '2', '3']]);
  });

  it('fail where the statement fails, before its first row or behind it', async () => {
    await expect(read('select nonsense')).rejects.toMatchObject({ code: '42703' });
    let taken = 0;
    const divided = database.read(organizationId, (tx) =>
      tx.readEach('select 1 / (5000 - i) from generate_series(1, 9000) as i', [], () => taken++),
    );
    await expect(divided).rejects.toMatchObject({ code: '22012' });
    expect(taken).toBeGreaterThan(0);
    const one = database.read(organizationId, (tx) => query(tx, 'select 1 as one'));
    expect(await one).toEqual([{ one: 1 }]);
  });

  it('fail when their connection is lost', async () => {
    const lost = read('select 1, 2, pg_sleep(30)::text');
    const ended = withClient(database.target, async (client) => {
      const text =
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)%' and pid <> pg_backend_pid()";
      while ((await client.query(text)).rows.length === 0);
    });
    await expect(lost).rejects.toThrow();
    await ended;
    expect(await read('select 1, 2, 3')).toEqual([['1', '2', '3']]);
  });
});
