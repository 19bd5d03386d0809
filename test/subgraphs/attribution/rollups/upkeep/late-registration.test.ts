import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { money, plain } from '#kernel/money.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import { backfillKey } from '../../../../../subgraphs/attribution/rollups/upkeep/backfill-key.step.ts';
import { sweepNext } from '../../../../../subgraphs/attribution/rollups/upkeep/sweep-key.step.ts';
import { aFact } from '../../a-fact.ts';
import { startAttribution, type Attribution } from '../../attribution-builder.ts';
import { history } from '../../history.ts';
import { costOf, groups, valueOf } from '../../plain-model.ts';
import { runs } from '../../../../support/property-runs.ts';
import { MINUTES } from '../../../../support/patience.ts';

// Compares very many histories with a model.
vi.setConfig(MINUTES);

const EVER = { start: '2025-01-01', end: '2027-01-01' };
const BY_LATE = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
  costsByDimension(key: "late") { items { dimensionValue totalCost } } } }`;
const REGISTER =
  'mutation { dimensionRegister(input: { key: "late", label: "Late" }) { dimension { key label state retiredAt } userErrors { message } } }';
const RETIRE =
  'mutation { dimensionRetire(input: { key: "late" }) { dimension { key state } userErrors { message } } }';
const STATE = '{ dimensions(includeRetired: true) { key state } }';

describe('a dimension that is registered late', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());

  const expected = (facts: readonly CostFact[]) => ({
    window: {
      costsByDimension: {
        items: groups(facts, (fact) => valueOf(fact, 'late')).map(({ name, facts: members }) => ({
          dimensionValue: name,
          totalCost: plain(costOf(members)),
        })),
      },
    },
  });
  const sweep = () => sweepNext(world.database, 3);
  const backfill = (organizationId: string, valuesPerDayMax = 100) =>
    world.database.system((tx) => backfillKey(tx, { organizationId, key: 'late' }, { factsMax: 5, valuesPerDayMax }));
  const differences = async (organizationId: string) =>
    (
      await world.ask<{ verifyAttribution: { differences: string[] }[] }>(
        organizationId,
        '{ verifyAttribution { differences } }',
      )
    ).verifyAttribution.flatMap((check) => check.differences);

  it('is exact at every moment while facts arrive and the backfill runs', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ batches }) => {
        const organizationId = randomUUID();
        const sent = new Map<string, CostFact>();
        const send = (batch: readonly CostFact[]) => {
          world.feed.publish(organizationId, batch);
          for (const fact of batch) sent.set(`${fact.eventId} ${fact.sequence}`, fact);
        };
        const half = Math.ceil(batches.length / 2);
        batches.slice(0, half).forEach(send);
        await world.settle();
        await world.ask(organizationId, REGISTER);
        let following = true;
        const filling = (async () => {
          let more = true;
          while (following || more) more = (await sweep()) || (await backfill(organizationId)) !== null;
        })();
        try {
          for (const batch of batches.slice(half)) {
            send(batch);
            await world.follow();
            expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected([...sent.values()]));
          }
        } finally {
          following = false;
          await filling;
        }
        expect(await world.ask(organizationId, STATE)).toEqual({ dimensions: [{ key: 'late', state: 'READY' }] });
        expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected([...sent.values()]));
        expect(await differences(organizationId)).toEqual([]);
      }),
      runs(3, { nightly: 50 }),
    );
  });

  it('is verified: a sum that is off by one digit is found', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [
      aFact({ endUserExternalId: 'ann' }),
      aFact({ eventTime: '2026-03-11T00:00:00.000Z' }),
    ]);
    await world.settle();
    expect(await differences(organizationId)).toEqual([]);
    const sql = (text: string) => world.database.orm.em.fork().getConnection().execute(text, [organizationId]);
    await sql(
      "update rollup_day set reasoning_cost = 0 where dimension_key = '' and bucket = '2026-03-11' and organization_id = ?",
    );
    await sql(
      "update rollup_hour set total_cost = total_cost + 0.000000000000001 where dimension_key = 'feature' and organization_id = ?",
    );
    await sql('delete from end_user_month where organization_id = ?');
    await sql('delete from end_user where organization_id = ?');
    expect((await differences(organizationId)).map((line) => line.replace(/ \d\d:00:00\+00/g, ''))).toEqual([
      'feature: 2026-03-10 Unassigned',
      'feature: 2026-03-11 Unassigned',
      'total: 2026-03-11 ',
      'feature: 2026-03-10 Unassigned',
      'feature: 2026-03-11 Unassigned',
      endUserId(organizationId, 'ann'),
      '2026-03-01 00000000-0000-0000-0000-000000000000',
      `2026-03-01 ${endUserId(organizationId, 'ann')}`,
    ]);
  });

  it('can be retired and registered again, and then counts the facts that arrived in between', async () => {
    const organizationId = randomUUID();
    const facts = ['a', 'b', 'c', 'a'].map((value, index) =>
      aFact({ dimensions: { late: value }, totalCost: `0.${index + 1}` }),
    );
    world.feed.publish(organizationId, facts.slice(0, 2));
    await world.ask(organizationId, REGISTER);
    await world.settle();
    expect(await world.ask(organizationId, RETIRE)).toEqual({
      dimensionRetire: { dimension: { key: 'late', state: 'RETIRED' }, userErrors: [] },
    });
    await expect(world.ask(organizationId, BY_LATE, EVER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    world.feed.publish(organizationId, facts.slice(2, 3));
    await world.step('follow-priced-feed');
    expect(await world.ask(organizationId, REGISTER)).toEqual({
      dimensionRegister: {
        dimension: { key: 'late', label: 'Late', state: 'BACKFILLING', retiredAt: null },
        userErrors: [],
      },
    });
    expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected(facts.slice(0, 3)));
    world.feed.publish(organizationId, facts.slice(3));
    await world.settle();
    expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected(facts));
    expect(await differences(organizationId)).toEqual([]);
  });

  it('is read from the facts permanently if a day has too many values, and keeps no rows', async () => {
    const organizationId = randomUUID();
    const facts = Array.from({ length: 12 }, (_, index) =>
      aFact({ dimensions: { late: `v${index}` }, totalCost: `0.${100 + index}` }),
    );
    world.feed.publish(organizationId, facts);
    await world.step('follow-priced-feed');
    await world.ask(organizationId, REGISTER);
    while (await sweep()) {
      /* until the boundary is drawn */
    }
    while ((await backfill(organizationId, 10)) !== null) {
      /* until it gives up */
    }
    expect(await world.ask(organizationId, STATE)).toEqual({ dimensions: [{ key: 'late', state: 'UNBOUNDED' }] });
    expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected(facts));
    const more = [aFact({ dimensions: { late: 'v0' }, totalCost: money('9').toFixed() })];
    world.feed.publish(organizationId, more);
    await world.settle();
    expect(await world.ask(organizationId, BY_LATE, EVER)).toEqual(expected([...facts, ...more]));
    const rows = await world.database.orm.em
      .fork()
      .getConnection()
      .execute(
        "select (select count(*) from rollup_hour where dimension_key = 'late' and organization_id = ?)::int as hours",
        [organizationId],
      );
    expect(rows).toEqual([{ hours: 0 }]);
  });
});
