/**
 * End users that events have named. A row is deleted when costing has lost their events, or when an erasure replaces
 * the end user with a pseudonym.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { canonicalInstant } from '#kernel/time/instant.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { byHome, type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { ArrivingEndUser } from '../rollups/arriving-fact.ts';

export const EndUserTable = defineEntity({
  name: 'EndUser',
  tableName: 'end_user',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Computed from the external id (decision 9, D51). */
    id: p.uuid().primary(),
    externalId: p.text(),
    /** Earliest event time, priced or not. */
    firstSeenAt: p.datetime(6),
  },
});

const remember = (home: Home) => `
  insert into end_user (organization_id, id, external_id, first_seen_at)
  ${selectAtHome(
    home,
    'id, external_id, first_seen_at',
    `(
    select "organizationId" as organization_id, id, min("externalId") as external_id, min("firstSeenAt") as first_seen_at
    from json_to_recordset(:items::json) as seen (
      "organizationId" uuid, id uuid, "externalId" text, "firstSeenAt" timestamptz)
    where not exists (
      select 1 from end_user known where known.organization_id = ${home ?? '"organizationId"'} and known.id = seen.id and known.first_seen_at <= "firstSeenAt")
    group by 1, 2) as seen`,
  )} order by 1, 2
  on conflict (organization_id, id) do update set first_seen_at = excluded.first_seen_at
  where excluded.first_seen_at < end_user.first_seen_at`;
const REMEMBER = statement<object, EndUsersInput>(byHome(remember));

/** Inserts new end users and lowers `first_seen_at` of known ones. Rows that do not change are not even locked. */
export async function rememberEndUsers(tx: WriteTransaction, endUsers: readonly ArrivingEndUser[]): Promise<void> {
  if (endUsers.length === 0) return;
  await tx.run(REMEMBER, endUsersInput(endUsers));
  await forgetEndUsers(
    tx,
    endUsers.flatMap(({ organizationId, replaces }) =>
      replaces === undefined ? [] : [{ organizationId, id: replaces }],
    ),
  );
}

const forget = (home: Home) => `
  delete from end_user using json_to_recordset(:items::json) as gone ("organizationId" uuid, id uuid)
  where end_user.organization_id = ${home ?? 'gone."organizationId"'} and end_user.id = gone.id and not exists (
    select 1 from cost_fact fact where fact.organization_id = end_user.organization_id and fact.end_user_id = end_user.id)`;
const FORGET = statement<object, EndUsersInput>(byHome(forget));

/** Deletes erased end users. Those that a fact still refers to stay for now. */
async function forgetEndUsers(
  tx: WriteTransaction,
  endUsers: readonly { readonly organizationId: OrganizationId; readonly id: string }[],
): Promise<void> {
  if (endUsers.length > 0) await tx.run(FORGET, endUsersInput(endUsers));
}

interface EndUsersInput {
  /** JSON. */
  readonly items: string;
  /** The organization of all items; used only on several nodes. */
  readonly organizationId: OrganizationId | null;
}

function endUsersInput(items: readonly { readonly organizationId: OrganizationId }[]): EndUsersInput {
  return { items: JSON.stringify(items), organizationId: items[0]?.organizationId ?? null };
}

const RECALL_END_USERS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<object>`
    with seen as materialized (
      select end_user_id as id, min(event_time) as first_seen_at from cost_fact
      where organization_id = ${organizationId} and end_user_id is not null group by 1
    ), gone as (
      delete from end_user where organization_id = ${organizationId} and not exists (select 1 from seen where seen.id = end_user.id))
    update end_user set first_seen_at = seen.first_seen_at from seen
    where end_user.organization_id = ${organizationId} and end_user.id = seen.id and end_user.first_seen_at < seen.first_seen_at`,
);

/**
 * Call it after facts were removed. Deletes end users without facts, and takes the first event of all others from the
 * facts. End users named only by unpriced events return with the replay or the feed.
 */
export async function recallEndUsers(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(RECALL_END_USERS, { organizationId });
}

export interface FoundEndUser {
  readonly id: string;
  readonly externalId: string;
  /** ISO 8601 UTC. */
  readonly firstSeenAt: string;
}

const FIND_END_USER = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) => sql<FoundEndUser>`
    select id, external_id, ${sql.raw(isoMicros('first_seen_at'))} as first_seen_at from end_user
    where organization_id = ${organizationId} and id = ${id}`,
  { isPointRead: true },
);

/** Null if no event has named the end user. */
export async function findEndUser(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string,
): Promise<FoundEndUser | null> {
  const row = await tx.first(FIND_END_USER, { organizationId, id });
  return row ? { ...row, firstSeenAt: canonicalInstant(row.firstSeenAt) } : null;
}

const FIND_END_USER_IDS = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<{ id: string }>`select id from end_user where organization_id = ${organizationId} and id = any(${ids}::uuid[])`,
);

/** Returns the ids that an event has named. */
export async function findEndUserIds(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<string[]> {
  return (await tx.all(FIND_END_USER_IDS, { organizationId, ids })).map(({ id }) => id);
}

const SUGGEST_END_USERS = statement(
  ({ organizationId, text, limit }: Parameters<{ organizationId: OrganizationId; text: string; limit: number }>) =>
    sql<{ externalId: string }>`
    select external_id from end_user where organization_id = ${organizationId} and strpos(lower(external_id), lower(${text})) > 0
    order by strpos(lower(external_id), lower(${text})), length(external_id), external_id limit ${limit}`,
);

/** End users whose external id contains `text`, ignoring case. Ordered by the position of the match, then by length. */
export function suggestEndUsersBy(
  tx: Transaction,
  organizationId: OrganizationId,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<{ externalId: string }[]> {
  return tx.all(SUGGEST_END_USERS, { organizationId, text, limit });
}

/** The next `limit` end users after the id `after`. With `seenBefore`, only those whose first event is earlier. */
interface EndUserPage {
  readonly seenBefore: string | null;
  readonly after: string | null;
  readonly limit: number;
}

const LIST_END_USERS = statement(
  ({ organizationId, seenBefore, after, limit }: Parameters<EndUserPage & { organizationId: OrganizationId }>) =>
    sql<FoundEndUser>`
    select id, external_id, ${sql.raw(isoMicros('first_seen_at'))} as first_seen_at from end_user
    where organization_id = ${organizationId} and (${seenBefore}::timestamptz is null or first_seen_at < ${seenBefore})
      and (${after}::uuid is null or id > ${after}) order by id limit ${limit}`,
);
const COUNT_END_USERS = statement(
  ({ organizationId, seenBefore }: Parameters<{ organizationId: OrganizationId; seenBefore: string | null }>) =>
    sql<{ count: number }>`
    select count(*)::float8 as count from end_user
    where organization_id = ${organizationId} and (${seenBefore}::timestamptz is null or first_seen_at < ${seenBefore})`,
);

/** A page of end users, sorted by id, with the number of all matching ones. */
export async function listEndUsersBy(
  tx: Transaction,
  organizationId: OrganizationId,
  page: EndUserPage,
): Promise<{ readonly endUsers: readonly FoundEndUser[]; readonly totalCount: number }> {
  const { count } = await tx.one(COUNT_END_USERS, { organizationId, seenBefore: page.seenBefore });
  const rows = await tx.all(LIST_END_USERS, { organizationId, ...page });
  return {
    endUsers: rows.map((row) => ({ ...row, firstSeenAt: canonicalInstant(row.firstSeenAt) })),
    totalCount: count,
  };
}
