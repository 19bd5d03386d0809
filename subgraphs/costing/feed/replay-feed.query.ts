/** Brings the past from the ledger, for a follower whose place in the feed is gone or who starts again. */
import type { FeedPosition, PricedBatch, ReplayPlace } from '../../../schema/priced-feed.ts';
import { selectList } from '../../../platform/database/columns.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { costFact } from './cost-fact.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import { seenEndUsers } from './seen-end-users.ts';
import { COST_COLUMNS } from '../ledger/cost-entry.table.ts';
import { type CostTexts, toCostParts } from '../ledger/cost-parts.ts';
import { PRICEABLE_COLUMNS, type PriceableRow, toPriceableEvent } from '../pricing/priceable-event.query.ts';
import { GLOBAL_TENANT } from '../config.ts';

type Replaying = FeedPosition & { readonly replay: ReplayPlace };

/** The next batches, one for each organization on a page of `entriesMax`; none when the past is through. */
export async function replayFeed(em: EntityManager, position: Replaying, entriesMax: number): Promise<PricedBatch[]> {
  if (position.replay.phase === 'entries') {
    const batches = await replayEntries(em, position, entriesMax);
    if (batches.length > 0) return batches;
  }
  const { replay } = position;
  const waiting: ReplayPlace =
    replay.phase === 'waiting'
      ? replay
      : { after: replay.after, phase: 'waiting', organizationId: GLOBAL_TENANT, eventId: GLOBAL_TENANT, sequence: 0 };
  return replayWaiting(em, { ...position, replay: waiting }, entriesMax);
}

/** The transaction below which everything has ended. */
export async function readStableXid(em: EntityManager): Promise<string> {
  const [row] = await query<{ xid: string }>(em, 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid');
  return row?.xid ?? '0';
}

type EntryRow = PriceableRow &
  CostTexts & { organizationId: string; sequence: number; modelSlug: string; providerSlug: string };

async function replayEntries(em: EntityManager, position: Replaying, entriesMax: number): Promise<PricedBatch[]> {
  const { after, organizationId, eventId, sequence } = position.replay;
  const rows = await query<EntryRow>(
    em,
    `
    select c.organization_id, c.sequence, c.model_slug, c.provider_slug, ${selectList(COST_COLUMNS, 'c')},
      ${PRICEABLE_COLUMNS}
    from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
    where (c.organization_id, c.event_id, c.sequence) > ($1, $2, $3) and c.livemode
      and c.xid > $4::text::xid8 and c.xid <= $5::text::xid8
    order by c.organization_id, c.event_id, c.sequence limit $6`,
    [organizationId, eventId, sequence, after, position.xid, entriesMax],
  );
  return batchesOf(
    rows,
    position,
    (row) => ({ phase: 'entries', eventId: row.id, sequence: row.sequence }),
    (ofOne) => ofOne.map(factOf),
  );
}

/** Events without a cost name end users too. Their rows may go while this runs: then they come by the feed. */
async function replayWaiting(em: EntityManager, position: Replaying, entriesMax: number): Promise<PricedBatch[]> {
  const { organizationId, eventId } = position.replay;
  const rows = await query<PriceableRow & { organizationId: string }>(
    em,
    `
    select u.organization_id, ${PRICEABLE_COLUMNS}
    from unpriced_event u join usage_event e on e.organization_id = u.organization_id and e.id = u.event_id
    where (u.organization_id, u.event_id) > ($1, $2) and u.livemode
    order by u.organization_id, u.event_id limit $3`,
    [organizationId, eventId, entriesMax],
  );
  return batchesOf(
    rows,
    position,
    (row) => ({ phase: 'waiting', eventId: row.id, sequence: 0 }),
    () => [],
  );
}

function batchesOf<Row extends PriceableRow & { organizationId: string }>(
  rows: readonly Row[],
  position: Replaying,
  place: (last: Row) => Pick<ReplayPlace, 'phase' | 'eventId' | 'sequence'>,
  facts: (ofOne: readonly Row[]) => PricedBatch['facts'],
): PricedBatch[] {
  return [...Map.groupBy(rows, (row) => row.organizationId)].map(([organizationId, ofOne]) => ({
    organizationId,
    position: { ...position, replay: { after: position.replay.after, organizationId, ...place(ofOne.at(-1)!) } },
    facts: facts(ofOne),
    endUsers: seenEndUsers(ofOne.map(toPriceableEvent)),
  }));
}

function factOf(row: EntryRow): PricedBatch['facts'][number] {
  const event = toPriceableEvent(row);
  return costFact({
    event,
    sequence: row.sequence,
    modelSlug: row.modelSlug,
    provider: providerIdentity(event.provider, row.providerSlug, null),
    parts: toCostParts(row),
  });
}
