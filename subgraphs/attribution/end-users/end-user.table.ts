/** End users: everyone an event has named. They go when costing has lost their events, or are erased and make room for a pseudonym. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { canonicalInstant } from '../../../kernel/time/instant.ts';
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
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
    /** Least event time, priced or not. */
    firstSeenAt: p.datetime(6),
  },
});

export type EndUser = InferEntity<typeof EndUserTable>;

/** Adds those who are new, and remembers an earlier first event of those who are not. */
export async function rememberEndUsers(em: EntityManager, endUsers: readonly ArrivingEndUser[]): Promise<void> {
  if (endUsers.length === 0) return;
  await query(
    em,
    `
    insert into end_user (organization_id, id, external_id, first_seen_at)
    select "organizationId", id, min("externalId"), min("firstSeenAt")
    from json_to_recordset($1::json) as seen (
      "organizationId" uuid, id uuid, "externalId" text, "firstSeenAt" timestamptz)
    group by 1, 2 order by 1, 2
    on conflict (organization_id, id) do update set first_seen_at = excluded.first_seen_at
    where excluded.first_seen_at < end_user.first_seen_at`,
    [JSON.stringify(endUsers)],
  );
  await forgetEndUsers(
    em,
    endUsers.flatMap(({ organizationId, replaces }) =>
      replaces === undefined ? [] : [{ organizationId, id: replaces }],
    ),
  );
}

/** Of erased end users; those that a fact still names stay for now. */
async function forgetEndUsers(
  em: EntityManager,
  endUsers: readonly { readonly organizationId: string; readonly id: string }[],
): Promise<void> {
  if (endUsers.length === 0) return;
  await query(
    em,
    `
    delete from end_user using json_to_recordset($1::json) as gone ("organizationId" uuid, id uuid)
    where end_user.organization_id = gone."organizationId" and end_user.id = gone.id and not exists (
      select from cost_fact fact where fact.organization_id = end_user.organization_id and fact.end_user_id = end_user.id)`,
    [JSON.stringify(endUsers)],
  );
}

/**
 * After facts were removed: forgets those whom no fact names, and takes the others' first event from the facts. Whom events without a
 * cost name comes again, by the replay or by the feed.
 */
export async function recallEndUsers(em: EntityManager, organizationId: string): Promise<void> {
  await query(
    em,
    `
    with seen as materialized (
      select end_user_id as id, min(event_time) as first_seen_at from cost_fact
      where organization_id = $1 and end_user_id is not null group by 1
    ), gone as (
      delete from end_user where organization_id = $1 and not exists (select 1 from seen where seen.id = end_user.id))
    update end_user set first_seen_at = seen.first_seen_at from seen
    where end_user.organization_id = $1 and end_user.id = seen.id and end_user.first_seen_at < seen.first_seen_at`,
    [organizationId],
  );
}

export interface FoundEndUser {
  readonly id: string;
  readonly externalId: string;
  /** ISO 8601 UTC. */
  readonly firstSeenAt: string;
}

/** Null when no event has named it. */
export async function findEndUser(tx: Transaction, organizationId: string, id: string): Promise<FoundEndUser | null> {
  const [row] = await query<FoundEndUser>(
    tx,
    `
    select id, external_id, ${isoMicros('first_seen_at')} as first_seen_at from end_user
    where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return row ? { ...row, firstSeenAt: canonicalInstant(row.firstSeenAt) } : null;
}
