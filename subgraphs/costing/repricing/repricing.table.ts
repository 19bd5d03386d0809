/** Repricings and their reverts, as requested. Progress is stored in the operation, the differences in the ledger. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros, isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const RepricingTable = defineEntity({
  name: 'Repricing',
  tableName: 'repricing',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    periodStart: p.datetime(6),
    periodEnd: p.datetime(6),
    model: p.text().nullable(),
    /** The repricing that this one reverts. */
    reverts: p.uuid().nullable(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** A requested repricing. Instants are ISO 8601, UTC. */
export interface RepricingOrder {
  readonly start: string;
  readonly end: string;
  /** The model as sent, or the slug of the card; null: all models. */
  readonly model: string | null;
  readonly reverts: string | null;
}

/** The last event processed; null before the first one. */
export type RepricingCursor = { readonly eventTime: string; readonly eventId: EventId } | null;

/** Locks the organization's repricings until the transaction ends: only one runs at a time. */
export async function lockRepricings(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await lockOrganization(tx, 'repricings', organizationId);
}

const INSERT_REPRICING = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly id: string;
    readonly start: string;
    readonly end: string;
    readonly model: string | null;
    readonly reverts: string | null;
    readonly at: Date;
  }
>(`
    insert into repricing (organization_id, id, period_start, period_end, model, reverts, started_at)
    values (:organizationId, :id, :start, :end, :model, :reverts, :at)`);

export async function insertRepricing(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  order: RepricingOrder,
  at: Date,
): Promise<void> {
  await tx.run(INSERT_REPRICING, {
    organizationId,
    id,
    start: order.start,
    end: order.end,
    model: order.model,
    reverts: order.reverts,
    at,
  });
}

export interface StoredRepricing extends RepricingOrder {
  readonly id: string;
  readonly finished: boolean;
  /** Id of the revert of this repricing, if there is one. */
  readonly revertedBy: string | null;
}

const FIND_REPRICING = statement<StoredRepricing, { readonly organizationId: OrganizationId; readonly id: string }>(`
    select id, ${isoMicros('period_start')} as start, ${isoMicros('period_end')} as end, model, reverts, finished_at is not null as finished,
      (select r.id from repricing r where r.organization_id = :organizationId and r.reverts = :id limit 1) as reverted_by
    from repricing where organization_id = :organizationId and id = :id`);

export async function findRepricing(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<StoredRepricing | null> {
  const [row] = await tx.all(FIND_REPRICING, { organizationId, id });
  return row ?? null;
}

const FIND_UNFINISHED_REPRICINGS = statement<
  UnfinishedRepricing,
  {
    readonly organizationId: OrganizationId;
    readonly start: string | null;
    readonly end: string | null;
    readonly model: string | null;
    readonly reverts: string | null;
  }
>(`
    select r.id, r.reverts, o.state, coalesce(r.period_start = :start and r.period_end = :end and r.model is not distinct from :model
      and r.reverts is not distinct from :reverts, false) as is_same
    from repricing r join operation o on o.organization_id = r.organization_id and o.id = r.id
    where r.organization_id = :organizationId and r.finished_at is null
      and not exists (select 1 from repricing back where back.organization_id = :organizationId and back.reverts = r.id)
    order by r.started_at`);

/**
 * Repricings that are neither finished nor reverted, oldest first. `isSame` marks the one that was requested with the
 * same parameters as `order`.
 */
export function findUnfinishedRepricings(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  order: RepricingOrder | null,
): Promise<UnfinishedRepricing[]> {
  return tx.all(FIND_UNFINISHED_REPRICINGS, {
    organizationId,
    start: order?.start ?? null,
    end: order?.end ?? null,
    model: order?.model ?? null,
    reverts: order?.reverts ?? null,
  });
}

export interface UnfinishedRepricing {
  readonly id: string;
  readonly reverts: string | null;
  readonly isSame: boolean;
  readonly state: 'running' | 'cancelled' | 'failed';
}

export interface RepricedPeriod extends RepricingOrder {
  readonly id: string;
  /** ISO 8601, like the next field. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

const FIND_REPRICED_PERIODS = statement<
  RepricedPeriod,
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string; readonly limit: number }
>(`
    select id, ${isoMicros('period_start')} as start, ${isoMicros('period_end')} as end, model, reverts,
      ${isoMillis('started_at')} as started_at, ${isoMillis('finished_at')} as finished_at
    from repricing
    where organization_id = :organizationId and finished_at is not null and period_start < :end and period_end > :start
    order by repricing.started_at desc, id limit :limit`);

/** Finished repricings that overlap the period `start` to `end`, latest first. */
export function findRepricedPeriods(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: { readonly start: string; readonly end: string },
  limit: number,
): Promise<RepricedPeriod[]> {
  return tx.all(FIND_REPRICED_PERIODS, { organizationId, start, end, limit });
}

const MARK_REPRICING_FINISHED = statement<object, { readonly organizationId: OrganizationId; readonly id: string }>(
  'update repricing set finished_at = now() where organization_id = :organizationId and id = :id',
);

export async function markRepricingFinished(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<void> {
  await tx.run(MARK_REPRICING_FINISHED, { organizationId, id });
}
