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
