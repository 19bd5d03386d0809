/** An organization that is not in the statistics yet: what its events cost to price does not grow with their number. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { readPriceableEventsOf } from '../../../../subgraphs/costing/pricing/priceable-event.query.ts';
import { readMetadataBytes } from '../../../../subgraphs/costing/events/usage-event.table.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

const EVENTS = 3_000;
const READ = 50;

let first: Costing;
let second: Costing;
let ids: string[];
beforeEach(async () => {
  first = await startCosting();
  second = await startCosting(first.database);
  await first.send(calls(500));
  await withClient(first.database.target, (client) => client.query('analyze usage_event'));
  ids = (await second.send(calls(EVENTS, { metadata: { team: 'a' } }))).slice(0, READ);
});
afterEach(() => first.close());

/** Events that this connection has read; PostgreSQL counts those of a few earlier transactions, too. */
const eventsRead = async (tx: WriteTransaction): Promise<number> =>
  (
    await query<{ read: number }>(
      tx,
      `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::float8 as read from pg_stat_xact_user_tables where relname = 'usage_event'`,
    )
  )[0]!.read;

it.each([
  [
    'pricing',
    async (tx: WriteTransaction) =>
      (await readPriceableEventsOf(tx, [{ organizationId: second.organizationId, items: ids }])).get(
        second.organizationId,
      )!.length,
  ],
  ['requeueing', async (tx: WriteTransaction) => (await readMetadataBytes(tx, second.organizationId, ids)).size],
])('%s reads only the events that it needs', async (_what, read) => {
  const { found, events } = await first.database.system(async (tx) => {
    const before = await eventsRead(tx);
    return { found: await read(tx), events: (await eventsRead(tx)) - before };
  });
  expect(found).toBe(READ);
  expect(events).toBeLessThanOrEqual(2 * READ);
});
