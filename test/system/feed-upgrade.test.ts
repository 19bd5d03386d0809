/**
 * Databases from before the feed was numbered per organization: after the migration everything is present and counted
 * once.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { setRate } from '../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { definitions } from '../../start/definitions.ts';
import { aChain, type Chain, type Side } from '../support/chain.ts';
import { earlierDatabase, migrationBefore } from '../support/earlier-databases.ts';
import { MINUTES } from '../support/patience.ts';

// Upgrades the data of an earlier version, again and again.
vi.setConfig(MINUTES);

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

/**
 * Restores the current database to the form that version 0.1 had before the migration, with the feed's content of that
 * time, and upgrades it.
 */
async function asBefore(side: Side, statements: readonly string[]): Promise<string> {
  const definition = definitions.find(({ name }) => name === side)!;
  const { target } = chain.context(side, null).database;
  const database = await earlierDatabase(definition, migrationBefore(definition, FEED_MIGRATION[side]));
  try {
    await withClient(target, (from) => withClient(database.target, (to) => copyRows(from, to)));
    await withClient(database.target, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    await migrate(database);
  } finally {
    await database.close();
  }
  return database.target.dbName;
}

/** Values of columns that version 1.0 no longer has. */
const REMOVED = { requeued: true };

/** Copies the rows of tables that both databases have, except the feed's, in the columns that both have. */
async function copyRows(from: pg.Client, to: pg.Client): Promise<void> {
  const current = await columnsOf(from);
  for (const [table, columns] of await columnsOf(to)) {
    const shared = columns.filter((column) => column in REMOVED || current.get(table)?.includes(column)).join(', ');
    if (!current.has(table)) continue;
    const { rows } = await from.query<{ content: object }>(
      `select coalesce(jsonb_agg(to_jsonb(t) || $1), '[]') as content from ${table} t`,
      [REMOVED],
    );
    await to.query(
      `insert into ${table} (${shared}) select ${shared} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[0]?.content)],
    );
  }
}

async function columnsOf(client: pg.Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(quote_ident(column_name)) as columns from information_schema.columns
     where table_schema = 'public' and table_name <> all('{mikro_orm_migrations,feed_follower,priced_batch}') group by table_name
     order by table_name in ('rate_alias', 'rate_tier', 'rate_variant'), table_name`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

it('after the upgrade, attributed facts stay, and the others arrive in the order of their transactions', async () => {
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
    // Transactions whose ids are in a different order from their batches.
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
  // The migration also has all earlier facts compared with the ledger, which gives them their charges.
  expect({ facts, brought }).toEqual({ facts: 32, brought: 32 });

  await chain.send(quiet, events(1));
  await chain.settle();
  expect(await chain.differences()).toEqual([]);
});
