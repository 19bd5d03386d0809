/**
 * Which days are verified, which organizations are rolled up, and when a key has too many values: behaviour at the
 * limits.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { clearChangedDays, listChangedDays } from '../../../../subgraphs/attribution/rollups/changed-day.table.ts';
import { findPending } from '../../../../subgraphs/attribution/rollups/pending-day.table.ts';
import { stopUnboundedKeys } from '../../../../subgraphs/attribution/rollups/rollup-key.table.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const rows = <Row>(sql: string, parameters: readonly unknown[]) =>
  world.database.system((tx) => query<Row>(tx, sql, parameters as unknown[]));

describe('changed days', () => {
  const change = (organizationId: string, day: string, since: number, changed: number) =>
    rows(
      `insert into changed_day (organization_id, day, since, changed_at)
       values ($1, $2, now() - $3 * interval '1 second', now() - $4 * interval '1 second')
       on conflict (organization_id, day) do update set changed_at = excluded.changed_at`,
      [organizationId, day, since, changed],
    );
  const list = async (organizationId: string) =>
    (await listChangedDays(world.database, { quietSeconds: 60, movingSeconds: 600, max: 100 })).filter(
      (day) => day.organizationId === organizationId,
    );

  it('are verified when they have not changed for a while, or have been changing for long; the first change comes first', async () => {
    const organizationId = randomUUID();
    await change(organizationId, '2026-03-01', 90, 70);
    await change(organizationId, '2026-03-02', 90, 50);
    await change(organizationId, '2026-03-03', 610, 5);
    await change(organizationId, '2026-03-04', 590, 5);
    expect((await list(organizationId)).map(({ day }) => day)).toEqual(['2026-03-03', '2026-03-01']);
  });

  it('stay if they changed again while they were verified, and that change then counts as the first', async () => {
    const organizationId = randomUUID();
    await change(organizationId, '2026-03-01', 900, 900);
    await change(organizationId, '2026-03-02', 900, 900);
    const verified = await list(organizationId);
    await change(organizationId, '2026-03-02', 900, 5);
    await world.database.system((tx) => clearChangedDays(tx, verified));
    expect(
      await rows('select day::text, since = changed_at as is_new from changed_day where organization_id = $1', [
        organizationId,
      ]),
    ).toEqual([{ day: '2026-03-02', isNew: true }]);
  });
});

it('pending facts are rolled up if they are many or if none has arrived for a while, most facts first', async () => {
  const [many, enough, few, quiet, moving] = Array.from({ length: 5 }, () => randomUUID()) as [string, ...string[]];
  const pend = (organizationId: string | undefined, day: string, facts: number, seconds: number) =>
    rows(
      `insert into pending_day (organization_id, day, arrival, facts, changed_at)
       values ($1, $2, 0, $3, now() - $4 * interval '1 second')`,
      [organizationId, day, facts, seconds],
    );
  await pend(many, '2026-03-01', 60, 0);
  await pend(many, '2026-03-02', 60, 0);
  await pend(enough, '2026-03-01', 100, 0);
  await pend(few, '2026-03-01', 99, 0);
  await pend(quiet, '2026-03-01', 1, 61);
  await pend(moving, '2026-03-01', 1, 61);
  await pend(moving, '2026-03-02', 1, 0);
  expect(await findPending(world.database, { factsMax: 100, quietSeconds: 60 })).toEqual([many, enough, quiet]);
  await rows('delete from pending_day where organization_id = any($1)', [[many, enough, few, quiet, moving]]);
});

it('a key may have the maximum number of values on a day, and not one more', async () => {
  const organizationId = randomUUID();
  world.feed.publish(
    organizationId,
    ['a', 'b', 'c'].map((agent) => aFact({ dimensions: { agent_id: agent } })),
  );
  await world.settle();
  const state = async (valuesMax: number) => {
    const grown = [{ organizationId, key: 'agent_id', day: '2026-03-10T00:00:00Z' }];
    await world.database.system((tx) => stopUnboundedKeys(tx, grown, valuesMax));
    return rows("select state from rolled_key where organization_id = $1 and key = 'agent_id'", [organizationId]);
  };
  expect(await state(3)).toEqual([{ state: 'ready' }]);
  expect(await state(2)).toEqual([{ state: 'unbounded' }]);
});

it('a comparison with the ledger that covers some days does not affect the first instant after them', async () => {
  const organizationId = randomUUID();
  world.feed.publish(organizationId, [
    aFact({ eventTime: '2026-03-10T23:59:59.999Z', totalCost: '1' }),
    aFact({ eventTime: '2026-03-11T00:00:00.000Z', totalCost: '2' }),
  ]);
  await world.settle();
  const REBUILD =
    'mutation { rebuildStart(input: { start: "2026-03-10", end: "2026-03-11" }) { userErrors { message } } }';
  await world.ask(organizationId, REBUILD);
  await world.settle();
  expect(
    await rows('select sum(total_cost)::float8 as cost from cost_fact where organization_id = $1', [organizationId]),
  ).toEqual([{ cost: 3 }]);
});

it('a charge has the reported name of a provider that the catalogue does not know, and its corrections are a separate charge', async () => {
  const organizationId = randomUUID();
  const acme = { providerId: 'unknown', providerSlug: 'unknown', providerName: 'Acme' };
  const fact = aFact({ ...acme, totalCost: '2' });
  world.feed.publish(organizationId, [
    fact,
    { ...fact, sequence: 1, totalCost: '-0.5', inputTokens: 0, outputTokens: 0, charges: [['input', '0', '-0.5']] },
  ]);
  await world.settle();
  expect(
    await rows(
      'select provider, amount::float8 as amount, corrections::float8 as corrections, event_count::int as events from charge_day where organization_id = $1',
      [organizationId],
    ),
  ).toEqual([{ provider: 'Acme', amount: 1.5, corrections: -0.5, events: 1 }]);
});
