import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { verifyRollups } from '../../../../subgraphs/attribution/rollups/verify-rollups.operation.ts';
import { registerDimension } from '../../../../subgraphs/attribution/dimensions/register-dimension.operation.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const ORGANIZATION = randomUUID();
const DAYS = ['2026-03-01', '2026-03-02', '2026-04-01'];

let world: Attribution;
beforeEach(async () => {
  world = await startAttribution();
  await registerDimension(world.context(ORGANIZATION), 'team', null);
  await world.settle();
  world.feed.publish(
    ORGANIZATION,
    DAYS.flatMap((day) =>
      ['T00:00:00Z', 'T23:59:59.999999Z'].map((time) =>
        aFact({ eventTime: `${day}${time}`, endUserExternalId: 'ada', dimensions: { team: 'red' } }),
      ),
    ),
  );
  await world.settle();
});
afterEach(() => world.close());

/** Verifies a large organization in parts, as an operator's command does, and all at once. */
async function wrong(): Promise<[inParts: Set<string>, atOnce: Set<string>]> {
  const ends = [null, '2026-03-02', '2026-04-01', null];
  const ranges = ends.slice(1).map((until, index) => ({ part: 'DAYS' as const, from: ends[index] ?? null, until }));
  const verify = (part?: (typeof ranges)[number] | { part: 'REST' }) =>
    verifyRollups(world.context(ORGANIZATION), part);
  const parts = (await Promise.all([...ranges, { part: 'REST' as const }].map(verify))).flat();
  const whole = await verify();
  const named = (checks: typeof whole) =>
    new Set(checks.filter(({ differences }) => differences.length > 0).map(({ check }) => check));
  return [named(parts), named(whole)];
}

it.each([
  ['nothing in books that are right', 'select 1', []],
  [
    'an hour that lost a cost',
    'update rollup_hour set total_cost = total_cost - 1 returning 1',
    ['hours of every key = facts', 'days of every key = hours'],
  ],
  [
    'a day that is missing',
    "delete from rollup_day where dimension_key = 'team' returning 1",
    ['days of every key = hours'],
  ],
  [
    "an end user's day too many",
    "update end_user_day set bucket = '2026-02-19' where bucket = '2026-03-01' returning 1",
    ["end users' days = facts", "end users' months = days"],
  ],
  [
    "an end user's month that lost a cost",
    'update end_user_month set total_cost = 0 returning 1',
    ["end users' months = days"],
  ],
  ['an end user that nobody knows', 'delete from end_user returning 1', ['every end user of a fact is known']],
])('finds %s, both in parts and all at once', async (_, sabotage, checks) => {
  await world.database.system((tx) => query(tx, sabotage));
  expect(await wrong()).toEqual([new Set(checks), new Set(checks)]);
});

/** Columns that are summed, by table and by the check that compares them. */
const SUMS = {
  rollup_hour: 'hours of every key = facts',
  rollup_day: 'days of every key = hours',
  charge_day: 'charges of every day = facts',
  end_user_day: "end users' days = facts",
  end_user_month: "end users' months = days",
};

it('verification finds a wrong figure in every column of every table of sums', async () => {
  const columns = await world.database.system((tx) =>
    query<{ table: keyof typeof SUMS; column: string }>(
      tx,
      `select table_name as "table", column_name as "column" from information_schema.columns
       where table_name = any($1) and data_type in ('numeric', 'bigint') order by 1, 2`,
      [Object.keys(SUMS)],
    ),
  );
  expect(new Set(columns.map(({ table }) => table))).toEqual(new Set(Object.keys(SUMS)));
  const run = <Row>(sql: string) => world.database.system((tx) => query<Row>(tx, sql));
  for (const { table, column } of columns) {
    // Null says that no event reported the class, and is not zero.
    const [{ isNull } = { isNull: false }] = await run<{ isNull: boolean }>(
      `select count(${column}) = 0 as is_null from ${table}`,
    );
    await run(`update ${table} set ${column} = ${isNull ? '0' : `${column} + 1`}`);
    const checks = await verifyRollups(world.context(ORGANIZATION));
    const found = checks.filter(({ differences }) => differences.length > 0).map(({ check }) => check);
    expect(found, `${table}.${column}`).toContain(SUMS[table]);
    await run(`update ${table} set ${column} = ${isNull ? 'null' : `${column} - 1`}`);
  }
  expect(await wrong()).toEqual([new Set(), new Set()]);
});
