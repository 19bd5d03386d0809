/** The feed: the results of each pricing transaction, in batches numbered per organization. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { randomUuid } from '#platform/random.ts';
import { mapInSlices } from '#platform/slices.ts';
import { slicesWithin } from '#kernel/slices-within.ts';
import type { PricedBatchBody } from '#schema/priced-feed.ts';
import { FEED_BATCH_BYTES, FEED_BATCH_ITEMS } from '../config.ts';

export const PricedBatchTable = defineEntity({
  name: 'PricedBatch',
  tableName: 'priced_batch',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    number: p.bigint().primary(),
    token: p.uuid(),
    /** Token of the previous batch; null for the organization's first batch. */
    previousToken: p.uuid().nullable(),
    /**
     * Always read and written as a whole, and soon deleted. Stored uncompressed (`set storage external`), to save
     * server time.
     */
    body: p.json<PricedBatchBody>().columnType('json'),
    /** Number of facts and end users, and length of the body in characters; both limit a page. */
    size: p.integer(),
    bytes: p.integer(),
    publishedAt: p.datetime(6),
  },
});

/** PostgreSQL channel that announces new batches. */
const FEED_CHANNEL = 'priced_batch';

/** Facts and end users of live events of one organization. */
export interface Publication extends PricedBatchBody {
  readonly organizationId: OrganizationId;
}

/**
 * Publishes the results of the transaction, in batches that consumers can process whole; publishes nothing if there are
 * no results. Call it once per transaction, after entries are written and before `addToCostHours`: from here on, the
 * organization's other transactions wait.
 */
export async function publishBatches(tx: WriteTransaction, publications: readonly Publication[]): Promise<void> {
  // Sorted, because transactions that publish for several organizations in different orders would deadlock.
  const ordered = publications.toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  const slices: BatchSlice[] = [];
  for (const publication of ordered) slices.push(...(await slicesOf(publication)));
  const [first] = slices;
  if (!first) return;
  if (coversAllOrganizations(tx))
    await tx.run(PUBLISH[slices.length] ?? publish(slices.length), {
      ...Object.fromEntries(
        slices.flatMap(({ organizationId, body, size }, turn) => [
          [`organization${turn}`, organizationId],
          [`token${turn}`, randomUuid()],
          [`body${turn}`, body],
          [`size${turn}`, size],
        ]),
      ),
    });
  else await publishOfOne(tx, first.organizationId, slices);
  announceAfterCommit(tx, FEED_CHANNEL);
}

type Slices = Readonly<Record<string, unknown>>;

/**
 * Publishes a number of slices. Each slice has its own parameters: in an array, every quote of a body would be escaped
 * and parsed again. `position` numbers an organization's batches of this transaction from 1; the token of the last one
 * becomes the head's.
 */
function publish(slices: number, isPrepared = false): Statement<Slices, object> {
  const rows = Array.from(
    { length: slices },
    (_, turn) => `(:organization${turn}::uuid, :token${turn}::uuid, :body${turn}::json, :size${turn}::int, ${turn})`,
  );
  const text = `
  with item as materialized (
    select organization_id, token, body, size, turn, row_number() over of_organization as position,
      lag(token) over of_organization as previous_token
    from (values ${rows.join(', ')}) as item (organization_id, token, body, size, turn)
    window of_organization as (partition by organization_id order by turn)
  ), head as (
    insert into feed_head as head (organization_id, number, token, is_ahead)
    select distinct on (organization_id) organization_id, position, token, true from item order by organization_id, position desc
    on conflict (organization_id) do update
      set number = head.number + excluded.number, previous_token = head.token, token = excluded.token, is_ahead = true
    returning organization_id, number, previous_token
  )
  insert into priced_batch (organization_id, number, token, previous_token, body, size, bytes, published_at)
  select item.organization_id, head.number - (count(*) over (partition by item.organization_id)) + item.position, item.token,
    coalesce(item.previous_token, head.previous_token), item.body, item.size, octet_length(item.body::text), now()
  from item join head on head.organization_id = item.organization_id`;
  return statement<object, Slices>(text, { isPrepared });
}

const ADVANCE_HEAD = statement<
  { number: number; previousToken: string | null },
  { organizationId: OrganizationId; slices: number; token: string }
>(`
  insert into feed_head as head (organization_id, number, token, is_ahead) values (:organizationId, :slices, :token, true)
  on conflict (organization_id) do update
    set number = head.number + excluded.number, previous_token = head.token, token = excluded.token, is_ahead = true
  returning number::float8, previous_token`);

interface NewBatch {
  readonly organizationId: OrganizationId;
  readonly number: number;
  readonly token: string;
  readonly previousToken: string | null;
  readonly body: Buffer;
  readonly size: number;
}

const INSERT_BATCH = statement<object, NewBatch>(`
  insert into priced_batch (organization_id, number, token, previous_token, body, size, bytes, published_at)
  values (:organizationId, :number, :token, :previousToken, :body::json, :size, octet_length(:body::json::text), now())`);

/**
 * Publishes for one organization, on its node. Takes two statements: on several nodes, a part of a statement cannot use
 * rows that another part writes.
 */
async function publishOfOne(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  slices: readonly BatchSlice[],
): Promise<void> {
  const tokens = slices.map(() => randomUuid());
  const head = await tx.one(ADVANCE_HEAD, { organizationId, slices: slices.length, token: tokens.at(-1)! });
  for (const [index, { body, size }] of slices.entries())
    await tx.run(INSERT_BATCH, {
      organizationId,
      number: head.number - slices.length + index + 1,
      token: tokens[index]!,
      previousToken: tokens[index - 1] ?? head.previousToken,
      body,
      size,
    });
}

/** Statements by number of slices, for common numbers. */
const PUBLISH = Array.from({ length: 9 }, (_, slices) => publish(slices, true));

interface BatchSlice {
  readonly organizationId: OrganizationId;
  /** JSON as bytes: as a string it would burden the garbage collector until it is stored. */
  readonly body: Buffer;
  readonly size: number;
}

async function slicesOf({ organizationId, facts, endUsers }: Publication): Promise<BatchSlice[]> {
  const [factSlices, endUserSlices] = [await slicesOfItems(facts), await slicesOfItems(endUsers)];
  const count = Math.max(factSlices.length, endUserSlices.length);
  return Array.from({ length: count }, (_, index) => {
    const [ofFacts = [], ofEndUsers = []] = [factSlices[index], endUserSlices[index]];
    return {
      organizationId,
      body: Buffer.from(`{"facts":[${ofFacts.join(',')}],"endUsers":[${ofEndUsers.join(',')}]}`),
      size: ofFacts.length + ofEndUsers.length,
    };
  });
}

/** Slices of items, as JSON, within the limits of a batch. */
async function slicesOfItems(items: readonly object[]): Promise<(readonly string[])[]> {
  const bounds = { countMax: FEED_BATCH_ITEMS, bytesMax: FEED_BATCH_BYTES };
  return slicesWithin(await mapInSlices(items, (item) => JSON.stringify(item)), (text) => text.length, bounds).map(
    (slice) => slice.items,
  );
}
