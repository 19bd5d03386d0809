/** Repricings and their reverts, as requested. Progress is stored in the operation, the differences in the ledger. */
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros, isoMillis } from '#platform/database/iso-sql.ts';
import { query } from '#platform/database/sql.ts';
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
export type RepricingCursor = { readonly eventTime: string; readonly eventId: string } | null;

/** Locks the organization's repricings until the transaction ends: only one runs at a time. */
export async function lockRepricings(tx: WriteTransaction, organizationId: string): Promise<void> {
  await lockOrganization(tx, 'repricings', organizationId);
}

export async function insertRepricing(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
  order: RepricingOrder,
  at: Date,
): Promise<void> {
  await query(
    tx,
    `
    insert into repricing (organization_id, id, period_start, period_end, model, reverts, started_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
    [organizationId, id, order.start, order.end, order.model, order.reverts, at],
  );
}

export interface StoredRepricing extends RepricingOrder {
  readonly id: string;
  readonly finished: boolean;
  /** Its revert, if there is one. */
  readonly revertedBy: string | null;
}

export async function findRepricing(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
): Promise<StoredRepricing | null> {
  const [row] = await query<StoredRepricing>(
    tx,
    `
    select id, ${isoMicros('period_start')} as start, ${isoMicros('period_end')} as end, model, reverts, finished_at is not null as finished,
      (select r.id from repricing r where r.organization_id = $1 and r.reverts = $2 limit 1) as reverted_by
    from repricing where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return row ?? null;
}

/** Repricings that are neither finished nor reverted, oldest first, marking the one with the same order. */
export function findUnfinishedRepricings(
  tx: WriteTransaction,
  organizationId: string,
  order: RepricingOrder | null,
): Promise<UnfinishedRepricing[]> {
  return query<UnfinishedRepricing>(
    tx,
    `
    select r.id, r.reverts, o.state, coalesce(r.period_start = $2 and r.period_end = $3 and r.model is not distinct from $4
      and r.reverts is not distinct from $5, false) as is_same
    from repricing r join operation o on o.organization_id = r.organization_id and o.id = r.id
    where r.organization_id = $1 and r.finished_at is null
      and not exists (select 1 from repricing back where back.organization_id = $1 and back.reverts = r.id)
    order by r.started_at`,
    [organizationId, order?.start ?? null, order?.end ?? null, order?.model ?? null, order?.reverts ?? null],
  );
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

/** Finished repricings that overlap the period `start` to `end`, latest first. */
export function findRepricedPeriods(
  tx: Transaction,
  organizationId: string,
  { start, end }: { readonly start: string; readonly end: string },
  limit: number,
): Promise<RepricedPeriod[]> {
  return query<RepricedPeriod>(
    tx,
    `
    select id, ${isoMicros('period_start')} as start, ${isoMicros('period_end')} as end, model, reverts,
      ${isoMillis('started_at')} as started_at, ${isoMillis('finished_at')} as finished_at
    from repricing
    where organization_id = $1 and finished_at is not null and period_start < $3 and period_end > $2
    order by repricing.started_at desc, id limit $4`,
    [organizationId, start, end, limit],
  );
}

export async function markRepricingFinished(tx: WriteTransaction, organizationId: string, id: string): Promise<void> {
  await query(tx, 'update repricing set finished_at = now() where organization_id = $1 and id = $2', [
    organizationId,
    id,
  ]);
}
