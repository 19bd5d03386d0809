/** Rolling up and verifying with several organizations: each is processed alone, and none is left out. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { claimOffsets } from '../../../../subgraphs/attribution/feed/feed-offset.table.ts';
import { rollUpSome } from '../../../../subgraphs/attribution/rollups/roll-up-days.step.ts';
import { verifyRollups } from '../../../../subgraphs/attribution/rollups/verify-rollups.operation.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

let own: string;
let other: string;
beforeEach(() => {
  [own, other] = [randomUUID(), randomUUID()];
});

const rows = <Row>(sql: string, parameters: readonly unknown[]) =>
  world.database.system((tx) => query<Row>(tx, sql, parameters as unknown[]));

/** Facts of two days, one in each hour. */
const spread = () =>
  Array.from({ length: 48 }, (_, hour) =>
    aFact({ eventTime: new Date(Date.UTC(2026, 2, 1, hour)).toISOString(), dimensions: { agent_id: 'a' } }),
  );

async function publish(): Promise<void> {
  for (const organizationId of [own, other]) world.feed.publish(organizationId, spread());
  await world.follow();
}

describe('rolling up', () => {
  it.each([
    ['all pending facts', 1_000],
    ['some pending facts', 10],
  ])('%s', async (_, factsMax) => {
    // A step takes all facts of one arrival, so the day has two.
    await publish();
    await publish();
    const pending = (organizationId: string) =>
      rows('select day::text, arrival, facts from pending_day where organization_id = $1 order by day', [
        organizationId,
      ]);
    const before = await pending(other);
    expect(before).toMatchObject([{ facts: 48 }, { facts: 48 }]);
    await world.database.system(async (tx) => {
      await claimOffsets(tx, [own], 1);
      expect(await rollUpSome(tx, own, factsMax)).toBeGreaterThan(0);
    });
    expect(await pending(own)).not.toEqual(before);
    expect(await pending(other)).toEqual(before);
    await world.settle();
    for (const organizationId of [own, other]) expect(await differencesOf(organizationId)).toEqual([]);
  });
});

const differencesOf = async (organizationId: string | null) =>
  (await verifyRollups(world.context(organizationId))).flatMap(({ check, differences }) =>
    differences.map((difference) => `${check}: ${difference}`),
  );

it('a full rebuild starts over only the keys of its own organization', async () => {
  await publish();
  await world.settle();
  const states = (organizationId: string) =>
    rows('select distinct state from rolled_key where organization_id = $1', [organizationId]);
  await world.ask(own, 'mutation { rebuildStart(input: {}) { userErrors { message } } }');
  expect(await states(own)).toEqual([{ state: 'clearing' }]);
  expect(await states(other)).toEqual([{ state: 'ready' }]);
  await world.settle();
});

it('verification of all organizations finds an error in any of them, and names the organization', async () => {
  await publish();
  await world.settle();
  await rows('update charge_day set amount = amount + 1 where organization_id = $1 and bucket = $2', [
    other,
    '2026-03-02',
  ]);
  expect(await differencesOf(own)).toEqual([]);
  expect(await differencesOf(null)).toEqual([
    expect.stringMatching(new RegExp(`^charges of every day = facts: ${other}: 2026-03-02`)),
  ]);
  await rows('update charge_day set amount = amount - 1 where organization_id = $1 and bucket = $2', [
    other,
    '2026-03-02',
  ]);
});

it('a key that is new in every organization is filled from the existing facts', async () => {
  await publish();
  await world.settle();
  for (const table of ['rolled_key', 'rollup_hour', 'rollup_day']) {
    const key = table === 'rolled_key' ? 'key' : 'dimension_key';
    await rows(`delete from ${table} where organization_id = $1 and ${key} = 'agent_id'`, [own]);
  }
  world.feed.publish(own, [aFact({ dimensions: { agent_id: 'a' } })]);
  await world.follow();
  const BY_AGENT = `{ window(start: "2026-03-01", end: "2026-04-01") {
    costsByAttribution(key: "agent_id") { items { attributionValue eventCount } } } }`;
  const exact = { window: { costsByAttribution: { items: [{ attributionValue: 'a', eventCount: 49 }] } } };
  expect(await world.ask(own, BY_AGENT)).toEqual(exact);
  await world.settle();
  expect(await world.ask(own, BY_AGENT)).toEqual(exact);
  expect(await differencesOf(own)).toEqual([]);
});

it('a day is verified again after a comparison with the ledger has removed a fact from it', async () => {
  await publish();
  await world.settle();
  const columns = (
    await rows<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'cost_fact' and column_name <> 'event_id'",
      [],
    )
  )
    .map(({ name }) => name)
    .join(', ');
  await rows(
    `insert into cost_fact (event_id, ${columns}) select gen_random_uuid(), ${columns} from cost_fact
     where organization_id = $1 and event_time = '2026-03-02T05:00:00Z'`,
    [own],
  );
  await rows('delete from changed_day where organization_id = $1', [own]);
  await world.ask(
    own,
    'mutation { rebuildStart(input: { start: "2026-03-01", end: "2026-03-03" }) { userErrors { message } } }',
  );
  await world.settle();
  expect(await rows('select day::text from changed_day where organization_id = $1', [own])).toEqual([
    { day: '2026-03-02' },
  ]);
  expect(await differencesOf(own)).toEqual([]);
});
