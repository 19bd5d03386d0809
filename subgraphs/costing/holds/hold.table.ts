/** Holds: reservations for calls about to be made, with the answers given to them, identified by the caller's key. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Statement, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type PeriodChange, startText } from '../allowances/allowance-period.table.ts';

const HOLD_STATES = ['open', 'settled', 'released', 'expired', 'denied'] as const;
const SPEND_REASONS = [
  'no_allowance',
  'within_allowance',
  'over_allowance',
  'allowance_used_up',
  'too_many_open_holds',
] as const;

export const HoldTable = defineEntity({
  name: 'Hold',
  tableName: 'hold',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Increases with time. */
    id: p.uuid().primary(),
    /** Chosen by the caller: the same key gets the same answer. */
    idempotencyKey: p.text(),
    /** SHA-256 of the request, in hex. */
    requestDigest: p.text(),
    endUserExternalId: p.text().nullable(),
    agentId: p.text().nullable(),
    model: p.text().nullable(),
    /** USD. */
    amount: p.decimal().precision(30).scale(15),
    state: p.enum(HOLD_STATES),
    because: p.enum(SPEND_REASONS),
    /** USD left after this hold, of the allowance with the least left; null without an allowance. */
    remaining: p.decimal().precision(40).scale(15).nullable(),
    /** The allowance with the least left. */
    allowanceId: p.uuid().nullable(),
    /** The allowances in which the hold reserves its amount; `periodStarts` has their periods in the same order. */
    allowanceIds: p.array().columnType('uuid[]'),
    periodStarts: p.array().columnType('timestamptz[]'),
    openedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Null while the hold is open. */
    closedAt: p.datetime(3).nullable(),
    /** The event that settled the hold. */
    eventId: p.uuid().nullable(),
  },
  uniques: [{ name: 'hold_key_unique', properties: ['organizationId', 'idempotencyKey'] }],
  indexes: [
    {
      name: 'hold_expiry_index',
      expression: "create index hold_expiry_index on hold (expires_at, organization_id) where state = 'open'",
    },
    {
      name: 'hold_closed_index',
      expression: "create index hold_closed_index on hold (closed_at) where state <> 'open'",
    },
    {
      name: 'hold_end_user_index',
      expression:
        'create index hold_end_user_index on hold (organization_id, end_user_external_id, id) where end_user_external_id is not null',
    },
  ],
});

export type HoldState = (typeof HOLD_STATES)[number];
export type SpendReason = (typeof SPEND_REASONS)[number];

/** SQL that closes the holds that match `condition` and returns the amounts that they release. */
const close = <Input>(state: HoldState, condition: string) =>
  statement<PeriodChange & { allowanceId: string | null }, Input & { readonly organizationId: OrganizationId }>(`
    with open as materialized (
      select id, event_id from hold ${condition} order by id for update of hold
    ), closed as (
      update hold h set state = '${state}', closed_at = statement_timestamp(), event_id = open.event_id
      from open where h.organization_id = :organizationId and h.id = open.id
      returning h.amount, h.allowance_ids, h.period_starts
    )
    select part.allowance_id, ${startText('part.period_start')} as period_start, sum(closed.amount)::text as released, count(*)::int as closed_holds
    from closed left join lateral unnest(closed.allowance_ids, closed.period_starts) as part (allowance_id, period_start) on true
    group by 1, 2`);

const CLOSE_RELEASED = close<{ readonly id: string }>(
  'released',
  "where organization_id = :organizationId and id = :id and state = 'open'",
);
const CLOSE_EXPIRED = close<{ readonly max: number }>(
  'expired',
  `where organization_id = :organizationId and id in (
     select id from hold where organization_id = :organizationId and state = 'open' and expires_at <= statement_timestamp() limit :max)
     and state = 'open'`,
);

const SETTLE = statement<
  PeriodChange & { allowanceId: string | null },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[]; readonly eventIds: readonly EventId[] }
>(`
    with named as (select * from unnest(:ids::uuid[], :eventIds::uuid[]) as named (id, event_id)),
    open as materialized (
      select h.id, named.event_id from hold h join named on named.id = h.id
      where h.organization_id = :organizationId and h.state = 'open' order by h.id for update of h
    ), closed as (
      update hold h set state = 'settled', closed_at = statement_timestamp(), event_id = open.event_id
      from open where h.organization_id = :organizationId and h.id = open.id
      returning h.amount, h.allowance_ids, h.period_starts
    )
    select part.allowance_id, ${startText('part.period_start')} as period_start, sum(closed.amount)::text as released, count(*)::int as closed_holds
    from closed cross join lateral unnest(closed.allowance_ids, closed.period_starts) as part (allowance_id, period_start)
      join allowance a on a.organization_id = :organizationId and a.id = part.allowance_id
    group by 1, 2`);

/** Amounts released by closing holds. `closed`: true if any hold was closed. */
export interface Closed {
  readonly closed: boolean;
  readonly changes: readonly PeriodChange[];
}

async function closeBy<Input>(
  tx: WriteTransaction,
  text: Statement<Input, PeriodChange & { allowanceId: string | null }>,
  input: Input,
): Promise<Closed> {
  const rows = await tx.all(text, input);
  return { closed: rows.length > 0, changes: rows.filter(({ allowanceId }) => allowanceId !== null) };
}

/** Releases a hold. A hold that is already closed, or belongs to another organization, is left unchanged. */
export function closeReleased(tx: WriteTransaction, organizationId: OrganizationId, id: string): Promise<Closed> {
  return closeBy(tx, CLOSE_RELEASED, { organizationId, id });
}

/** Closes at most `max` holds that have expired by the database's clock. */
export function closeExpired(tx: WriteTransaction, organizationId: OrganizationId, max: number): Promise<Closed> {
  return closeBy(tx, CLOSE_EXPIRED, { organizationId, max });
}

/**
 * Closes the holds that events settle. `eventOf`: the event that names each hold. Holds that are already closed, or
 * belong to another organization, are left unchanged.
 */
export async function closeSettled(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventOf: ReadonlyMap<string, string>,
): Promise<readonly PeriodChange[]> {
  if (eventOf.size === 0) return [];
  return tx.all(SETTLE, { organizationId, ids: [...eventOf.keys()], eventIds: [...eventOf.values()] });
}

const FIND_LIMITED = statement<
  { organizationId: OrganizationId },
  { readonly organizationIds: readonly OrganizationId[] }
>(
  `select o.id as organization_id from unnest(:organizationIds::uuid[]) as o (id)
     where exists (select 1 from allowance where organization_id = o.id)
   union
   select o.id from unnest(:organizationIds::uuid[]) as o (id) where exists (select 1 from hold where organization_id = o.id)`,
  { isPrepared: true },
);

/** With several nodes, the whole statement runs on one of them. */
const IS_LIMITED = statement<{ organizationId: OrganizationId }, { readonly organizationId: OrganizationId }>(
  `(select organization_id from allowance where organization_id = :organizationId limit 1)
   union
   (select organization_id from hold where organization_id = :organizationId limit 1)`,
  { isPrepared: true },
);

/** The organizations that have an allowance or a hold. */
export async function findLimitedOrganizations(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<string[]> {
  const [organizationId = '', ...others] = organizationIds;
  const rows =
    others.length === 0
      ? await tx.all(IS_LIMITED, { organizationId })
      : await tx.all(FIND_LIMITED, { organizationIds });
  return rows.map((row) => row.organizationId);
}

const RENAME_END_USER = statement<
  object,
  { readonly organizationId: OrganizationId; readonly externalId: string; readonly pseudonym: string }
>(`update hold set end_user_external_id = :pseudonym, request_digest = '', idempotency_key = 'erased-' || id
     where organization_id = :organizationId and end_user_external_id = :externalId`);

/**
 * Assigns the holds of an erased end user to its pseudonym, and removes keys and digests, which could contain or prove
 * the external id.
 */
export async function renameHeldEndUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
  pseudonym: string,
): Promise<void> {
  await tx.run(RENAME_END_USER, { organizationId, externalId, pseudonym });
}

const FIND_EXPIRED = statement<{ organizationId: OrganizationId }, { readonly max: number }>(`
  select distinct organization_id from (
    select organization_id from hold /* every organization */
    where state = 'open' and expires_at <= clock_timestamp() order by expires_at limit :max) as expired order by 1`);

/** Organizations of the holds that expired first. */
export async function findOrganizationsWithExpired(tx: WriteTransaction, max: number): Promise<string[]> {
  return (await tx.all(FIND_EXPIRED, { max })).map(({ organizationId }) => organizationId);
}

const FIND_OLD = statement<{ organizationId: OrganizationId }, { readonly hours: number; readonly max: number }>(`
  select distinct organization_id from (
    select organization_id from hold /* every organization */
    where state <> 'open' and closed_at < clock_timestamp() - :hours * interval '1 hour' order by closed_at limit :max) as old order by 1`);

/** Organizations with holds that were closed at least `hours` ago; at most `max`. */
export async function findOrganizationsWithOld(tx: WriteTransaction, hours: number, max: number): Promise<string[]> {
  return (await tx.all(FIND_OLD, { hours, max })).map(({ organizationId }) => organizationId);
}

const PRUNE = statement<
  object,
  { readonly organizationId: OrganizationId; readonly hours: number; readonly max: number }
>(`
  delete from hold where organization_id = :organizationId and id in (
    select id from hold where organization_id = :organizationId and state <> 'open'
      and closed_at < clock_timestamp() - :hours * interval '1 hour' limit :max)`);

/** Deletes at most `max` of these holds. */
export async function pruneHolds(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  hours: number,
  max: number,
): Promise<void> {
  await tx.run(PRUNE, { organizationId, hours, max });
}
