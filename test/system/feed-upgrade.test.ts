/**
 * Databases from before the feed was numbered per organization: after the migration everything is present and counted
 * once.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { setRate } from '../../subgraphs/costing/rates/catalogue/set-rate.operation.ts';
import { definitions } from '../../start/definitions.ts';
import { aChain, type Chain, type Side } from '../support/chain.ts';

let chain: Chain;
beforeEach(async () => {
  chain = await aChain();
  await setRate(chain.context('costing', null), {
    model: 'acme',
    input: '1',
    output: '0',
    effectiveFrom: '2020-01-01',
  });
});
afterEach(() => chain.close());

let sent = 0;
const events = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({
    idempotency_key: `${++sent}`,
    model: 'acme',
    input_tokens: 1_000,
    output_tokens: 1,
    event_invoked_at: new Date(Date.now() - 60_000).toISOString(),
    user_id: `user-${sent % 3}`,
    ...more,
  }));
const FEED_MIGRATION = { costing: 'feed-by-organization', attribution: 'places-by-organization' } as const;

/** Undoes the migration in a copy of the database, and inserts its earlier content. */
async function asBefore(side: Side, statements: readonly string[]): Promise<string> {
  const backup = await chain.backUp(side);
  const { target } = chain.context(side, null).database;
  const definition = definitions.find(({ name }) => name === side)!;
  const database = await openSubgraphDatabase(definition, { ...target, dbName: backup });
  try {
    for (let isDone = false; !isDone;) {
      // The newest one each time.
      const reverted = await database.orm.migrator.down();
      expect(reverted).toHaveLength(1);
      isDone = reverted.some(({ name }) => name.replaceAll('_', '-').endsWith(FEED_MIGRATION[side]));
    }
    await withClient(database.target, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    await migrate(database);
  } finally {
    await database.close();
  }
  return backup;
}

it('attributed facts stay, others arrive, in the order of their transactions', async () => {
  const organizations = [randomUUID(), randomUUID(), randomUUID()];
  const [busy, quiet, waiting] = organizations as [string, string, string];
  for (const id of [busy, quiet]) await chain.send(id, events(10));
  await chain.settle();
  const attribution = await asBefore('attribution', [
    `insert into feed_position (follower, position, arrival, batches_behind) values ('attribution', '{"xid": "10", "id": "5"}', 4711, 2)`,
  ]);
  await chain.step('prune-feed');
  await chain.send(waiting, events(2, { model: 'unknown', user_id: 'waits' }));
  for (let batch = 0; batch < 3; batch++) {
    await chain.send(busy, events(4));
    while ((await chain.step('price-events')) === 'more');
  }
  const batches = await chain.rows<{ organizationId: string; number: number; body: object; size: number }>(
    'costing',
    'select organization_id, number::int, body, size from priced_batch order by organization_id, number',
  );
  expect(batches).toHaveLength(4);
  const costing = await asBefore('costing', [
    `insert into feed_follower (name, read_at, batch_id, replaying, xid) values ('attribution', now(), 5, false, '10')`,
    `insert into feed_horizon (id, xid, batch_id) values (1, '10', 5)`,
    // Transactions whose ids are in another order than their batches.
    ...batches.map(
      ({ organizationId, number, body, size }, index) =>
        `insert into priced_batch (organization_id, id, xid, body, size) values
         ('${organizationId}', ${100 - index}, '${1000 + number}', '${JSON.stringify(body)}', ${size})`,
    ),
  ]);
  await chain.restore('costing', costing);
  await chain.restore('attribution', attribution);
  const kept = await chain.rows<{ organizationId: string; number: number; body: object }>(
    'costing',
    'select organization_id, number::int, body from priced_batch order by organization_id, number',
  );
  expect(kept.map(({ organizationId, body }) => ({ organizationId, body }))).toEqual(
    batches.map(({ organizationId, body }) => ({ organizationId, body })),
  );
  expect(kept.filter(({ organizationId }) => organizationId === busy).map(({ number }) => number)).toEqual([2, 3, 4]);

  await chain.settle();
  expect(await chain.differences()).toEqual([]);
  const [{ brought, facts }] = (await chain.rows(
    'attribution',
    `select count(*)::int as facts, (select count(*)::int from cost_fact where arrival > 4711) as brought from cost_fact`,
  )) as [{ brought: number; facts: number }];
  expect({ facts, brought }).toEqual({ facts: 32, brought: 12 });

  await chain.send(quiet, events(1));
  await chain.settle();
  expect(await chain.differences()).toEqual([]);
});
