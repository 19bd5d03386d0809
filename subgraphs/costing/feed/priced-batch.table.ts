/** The feed: what each pricing transaction has done, in batches, in the order in which transactions become visible. */
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { FEED_BATCH_BYTES, FEED_BATCH_ITEMS } from '../config.ts';
import { slicesWithin } from '../../../kernel/slices-within.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type {
  FeedPosition,
  PricedBatch as FeedBatch,
  PricedBatchBody,
  PricedFeedPage,
} from '../../../schema/priced-feed.ts';

export const PricedBatchTable = defineEntity({
  name: 'PricedBatch',
  tableName: 'priced_batch',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.bigint().primary().autoincrement(),
    /** The writing transaction: `id` alone would lose a batch that commits late. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    /** Read and written whole. */
    body: p.json<PricedBatchBody>().columnType('json'),
    /** Facts and end users in it: bounds a page. */
    size: p.integer(),
    publishedAt: p.datetime(6).defaultRaw('now()'),
  },
  indexes: [{ name: 'priced_batch_order_index', properties: ['xid', 'id'] }],
});


/** PostgreSQL channel that announces new batches. */
const FEED_CHANNEL = 'priced_batch';

/**
 * Tells followers what the transaction has done, in batches that they can take whole; nothing when that is nothing. Takes facts and
 * end users of live events only.
 */
export async function publishBatches(
  em: EntityManager,
  organizationId: string,
  { facts, endUsers }: PricedBatchBody,
): Promise<void> {
  const [factSlices, endUserSlices] = [slicesOf(facts), slicesOf(endUsers)];
  const count = Math.max(factSlices.length, endUserSlices.length);
  for (let index = 0; index < count; index++) {
    const [ofFacts = [], ofEndUsers = []] = [factSlices[index], endUserSlices[index]];
    await query(em, 'insert into priced_batch (organization_id, body, size) values ($1, $2::json, $3)', [
      organizationId,
      `{"facts":[${ofFacts.join(',')}],"endUsers":[${ofEndUsers.join(',')}]}`,
      ofFacts.length + ofEndUsers.length,
    ]);
  }
  if (count > 0) await query(em, 'select pg_notify($1, $2)', [FEED_CHANNEL, '']);
}

/** As JSON. */
function slicesOf(items: readonly object[]): (readonly string[])[] {
  const bounds = { countMax: FEED_BATCH_ITEMS, bytesMax: FEED_BATCH_BYTES };
  return slicesWithin(
    items.map((item) => JSON.stringify(item)),
    (text) => text.length,
    bounds,
  ).map((slice) => slice.items);
}

/**
 * The batches after a position, in order, as far as no transaction can still add one before them: at most `batchesMax`, and
 * about `sizeMax` facts. `id` alone would lose a batch that commits late.
 */
export async function readBatches(
  em: EntityManager,
  after: FeedPosition,
  batchesMax: number,
  sizeMax: number,
): Promise<PricedFeedPage> {
  const rows = await query<BatchRow>(
    em,
    `
    select organization_id, xid::text, id::text, body, visible::int,
      exists (select from priced_batch other where other.xid = page.xid and other.id > page.id) as unfinished
    from (
      select b.*, sum(size) over (order by xid, id) - size as before, row_number() over (order by xid, id) as number,
        count(*) over () as visible
      from (
        select * from priced_batch
        where (xid, id) > ($1::text::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
        order by xid, id limit $3 + 1) b) page
    where before < $4 and number <= $3 order by number`,
    [after.xid, after.id, batchesMax, sizeMax],
  );
  const batches = rows.map(({ organizationId, xid, id, unfinished, body }): FeedBatch => ({
    ...body,
    organizationId,
    position: { xid, id, ...(unfinished ? { unfinished: true } : {}) },
  }));
  return { batches, more: (rows[0]?.visible ?? 0) > rows.length };
}

type BatchRow = {
  organizationId: string;
  xid: string;
  id: string;
  body: PricedBatchBody;
  visible: number;
  unfinished: boolean;
};
