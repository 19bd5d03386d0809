/**
 * An organization that is not in the statistics yet: the work of pricing an event does not grow with the number of
 * events.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY_MS } from '#kernel/time/duration.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { readPriceableEventsOf } from '../../../../subgraphs/costing/pricing/priceable-event.query.ts';
import { readPeriodCosts } from '../../../../subgraphs/costing/ledger/period-costs.query.ts';
import { readEventOutlines } from '../../../../subgraphs/costing/ledger/event-outline.query.ts';
import { readMetadataBytes } from '../../../../subgraphs/costing/events/usage-event.table.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
const DAYS = parseWindow({ start: day(-1), end: day(1) });
const DAYS_BEFORE = parseWindow({ start: day(-3), end: day(-1) });
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
  [
    'settling without a price',
    async (tx: WriteTransaction) => (await readEventOutlines(tx, second.organizationId, ids)).length,
  ],
])('%s reads only the events that it needs', async (_what, read) => {
  const { found, events } = await first.database.system(async (tx) => {
    const before = await eventsRead(tx);
    return { found: await read(tx), events: (await eventsRead(tx)) - before };
  });
  expect(found).toBe(READ);
  expect(events).toBeLessThanOrEqual(2 * READ);
});

it('the summary of costs reads each waiting event once', async () => {
  const { pending, events } = await first.database.system(async (tx) => {
    const before = await eventsRead(tx);
    const costs = await readPeriodCosts(tx, second.organizationId, DAYS, DAYS_BEFORE);
    return { pending: costs.pending, events: (await eventsRead(tx)) - before };
  });
  expect(pending).toBe(EVENTS);
  expect(events).toBeLessThanOrEqual(2 * EVENTS);
});
