/**
 * The follower's offset in each organization's feed. The row is also the lock under which the organization's facts are
 * written.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { byOrganization, inTurn, type Look, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import { byHome, ensureHome } from '#platform/database/nodes/organization-home.ts';
import { organizationsOfStatement } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type FeedMark, type FeedOffset as Place, type ReplayCursor } from '#schema/priced-feed.ts';
import { TAKES_FACTS } from '../rollups/rollup-key.table.ts';

/** A running comparison with the ledger, and the number of facts it has removed. */
export interface Replay {
  readonly cursor: ReplayCursor;
  readonly removed: number;
  /** True if sums are recomputed even when no fact changed. */
  readonly sumsAll: boolean;
}

export const FeedOffsetTable = defineEntity({
  name: 'FeedOffset',
  tableName: 'feed_place',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The last batch written completely; 0 and null before the first. */
    number: p.bigint(),
    token: p.uuid().nullable(),
    /** Facts of the next batch that are already written. */
    taken: p.integer(),
    /**
     * A later batch of which some facts are already written, in part or by a replay. It must belong to the same
     * history.
     */
    evidenceNumber: p.bigint().nullable(),
    evidenceToken: p.uuid().nullable(),
    /** The last batch known to exist. */
    head: p.bigint(),
    /** Number of the last transaction that wrote facts; each fact stores its own. */
    arrival: p.bigint(),
    replay: p.json<Replay>().nullable(),
  },
  indexes: [{ name: 'feed_place_replay_index', properties: ['organizationId'], where: 'replay is not null' }],
});

/** An offset locked by this transaction: nobody else can write facts of the organization until it ends. */
export interface ClaimedOffset extends Place {
  readonly taken: number;
  readonly head: number;
  readonly arrival: string;
  readonly replay: Replay | null;
  /** Number of the organization's keys that take facts. */
  readonly keys: number;
}

interface OffsetRow extends Omit<ClaimedOffset, 'evidence'> {
  readonly evidenceNumber: number | null;
  readonly evidenceToken: string | null;
}

/** `organization` is SQL for the organization's id. */
const columnsOf = (organization: string) => `
  place.organization_id, place.number::float8 as number, place.token, place.taken, place.head::float8 as head,
  place.evidence_number::float8 as evidence_number, place.evidence_token, place.arrival::text as arrival, place.replay,
  (select count(*) filter (where ${TAKES_FACTS})::int from rolled_key key where key.organization_id = ${organization}) as keys`;

const CLAIM_OFFSETS = statement<
  OffsetRow,
  { organizationIds: readonly OrganizationId[]; organizationId: OrganizationId; max: number }
>({
  onOneNode: `
    with held as materialized (
      select place.*, wanted.turn from unnest(:organizationIds::uuid[]) with ordinality as wanted (organization_id, turn)
      join feed_place place on place.organization_id = wanted.organization_id
      order by wanted.turn limit :max for update of place skip locked)
    select ${columnsOf('place.organization_id')} from held as place order by place.turn`,
  onSeveralNodes: `select ${columnsOf(':organizationId')} from feed_place place where organization_id = :organizationId for update skip locked`,
});

/** Locks offsets of these organizations, in their order, at most `max`. Skips offsets that others hold. */
export async function claimOffsets(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
  max: number,
): Promise<ClaimedOffset[]> {
  const rows: OffsetRow[] = [];
  for (const some of organizationsOfStatement(tx, organizationIds)) {
    if (rows.length >= max) break;
    rows.push(...(await tx.all(CLAIM_OFFSETS, { organizationIds: some, organizationId: some[0]!, max })));
  }
  return rows.map(claimedOffset);
}

/** Organizations that are being compared with the ledger, starting after `after` and wrapping around. */
export async function findReplaying(database: Database, after: string): Promise<string[]> {
  const replaying = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['feed_place'],
    text: (table) => `
      select organization_id from ${table} where replay is not null
      order by organization_id <= $1::uuid, organization_id limit ${REPLAYING_MAX}`,
    parameters: [after],
    compare: inTurn(after),
  });
  return replaying.map(({ organizationId }) => organizationId);
}

const REPLAYING_MAX = 20;

/** Finds the next organization that has an offset. */
export function offsetAfter(organizationId: OrganizationId): Look<{ readonly organizationId: OrganizationId }> {
  return {
    tables: ['feed_place'],
    text: (table) => `select organization_id from ${table} where organization_id > $1::uuid order by 1 limit 1`,
    parameters: [organizationId],
    compare: byOrganization,
  };
}

function claimedOffset({ evidenceNumber, evidenceToken, ...row }: OffsetRow): ClaimedOffset {
  return { ...row, evidence: evidenceNumber === null ? null : { number: evidenceNumber, token: evidenceToken } };
}

const START_OFFSETS = statement<
  { id: string },
  { organizationIds: readonly OrganizationId[]; organizationId: OrganizationId }
>({
  onOneNode: `
    insert into feed_place (organization_id, number, taken, head, arrival)
    select wanted.id, 0, 0, 0, 0 from unnest(:organizationIds::uuid[]) as wanted (id)
    where not exists (select 1 from feed_place place where place.organization_id = wanted.id) order by 1
    on conflict (organization_id) do nothing returning organization_id as id`,
  onSeveralNodes: `
    insert into feed_place (organization_id, number, taken, head, arrival) values (:organizationId, 0, 0, 0, 0)
    on conflict (organization_id) do nothing returning organization_id as id`,
});

/** Creates offsets before the first batch for organizations that have none. Returns their ids. */
export async function startOffsets(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<string[]> {
  const started: string[] = [];
  for (const some of organizationsOfStatement(tx, organizationIds)) {
    const [organizationId] = some;
    await ensureHome(tx, organizationId!);
    const rows = await tx.all(START_OFFSETS, { organizationIds: some, organizationId: organizationId! });
    started.push(...rows.map(({ id }) => id));
  }
  return started;
}

const LOCK_OFFSET = statement<{ arrival: string }, { organizationId: OrganizationId }>(
  'select arrival::text as arrival from feed_place where organization_id = :organizationId for update',
);

/**
 * Locks an organization's offset until the transaction ends. Only the holder may write facts, or set a boundary
 * between existing and future facts.
 */
export async function lockOffset(tx: WriteTransaction, organizationId: OrganizationId): Promise<{ arrival: string }> {
  await startOffsets(tx, [organizationId]);
  return tx.one(LOCK_OFFSET, { organizationId });
}

/** New state of a locked offset. */
export interface AdvancedOffset extends FeedMark {
  readonly organizationId: OrganizationId;
  readonly taken: number;
  readonly evidence: FeedMark | null;
  readonly head: number;
  readonly arrival: string;
  readonly replay: Replay | null;
}

interface AdvanceInput {
  readonly organizationIds: readonly OrganizationId[];
  /** The only organization; used only on several nodes. */
  readonly organizationId: OrganizationId;
  readonly numbers: readonly number[];
  readonly tokens: readonly (string | null)[];
  readonly taken: readonly number[];
  readonly evidenceNumbers: readonly (number | null)[];
  readonly evidenceTokens: readonly (string | null)[];
  readonly heads: readonly number[];
  readonly arrivals: readonly string[];
  readonly replays: readonly (string | null)[];
}

const ADVANCE_OFFSETS = statement<object, AdvanceInput>(
  byHome(
    (home) => `
    update feed_place place set number = moved.number, token = moved.token, taken = moved.taken, evidence_number = moved.evidence_number,
      evidence_token = moved.evidence_token, head = moved.head, arrival = moved.arrival, replay = moved.replay
    from unnest(:organizationIds::uuid[], :numbers::bigint[], :tokens::uuid[], :taken::int[], :evidenceNumbers::bigint[],
      :evidenceTokens::uuid[], :heads::bigint[], :arrivals::bigint[], :replays::jsonb[])
      as moved (organization_id, number, token, taken, evidence_number, evidence_token, head, arrival, replay)
    where place.organization_id = ${home ?? 'moved.organization_id'}`,
  ),
);

export async function advanceOffsets(tx: WriteTransaction, moved: readonly AdvancedOffset[]): Promise<void> {
  const [first] = moved;
  if (!first) return;
  await tx.run(ADVANCE_OFFSETS, {
    organizationIds: moved.map(({ organizationId }) => organizationId),
    organizationId: first.organizationId,
    numbers: moved.map(({ number }) => number),
    tokens: moved.map(({ token }) => token),
    taken: moved.map(({ taken }) => taken),
    evidenceNumbers: moved.map(({ evidence }) => evidence?.number ?? null),
    evidenceTokens: moved.map(({ evidence }) => evidence?.token ?? null),
    heads: moved.map(({ head }) => head),
    arrivals: moved.map(({ arrival }) => arrival),
    replays: moved.map(({ replay }) => (replay === null ? null : JSON.stringify(replay))),
  });
}

const FIND_COMPARISON = statement<object, { organizationId: OrganizationId }>(
  `select 1 from feed_place where organization_id = :organizationId and replay is not null
   union all select 1 from operation where organization_id = :organizationId and kind = 'rebuild' and state = 'running'`,
);

/** True if the organization's facts are being compared with the ledger. */
export async function findComparison(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.first(FIND_COMPARISON, { organizationId })) !== null;
}
