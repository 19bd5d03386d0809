/** Repricings and their reverts: what was asked for and how far it has come. The differences themselves stand in the ledger. */
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

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
    /** The repricing that this one takes back. */
    reverts: p.uuid().nullable(),
    /** The event done last, in order of time and id; null before the first. */
    doneTime: p.datetime(6).nullable(),
    doneEventId: p.uuid().nullable(),
    /** Of the rates by which everything up to there was priced; null: unknown. */
    rateGeneration: p.text().nullable(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** What a repricing is asked for. Instants are ISO 8601, UTC. */
export interface RepricingOrder {
  readonly start: string;
  readonly end: string;
  /** The model as sent or the slug of the card; null: all. */
  readonly model: string | null;
  readonly reverts: string | null;
}

/** The event that was done last; null before the first. */
export type DonePlace = { readonly eventTime: string; readonly eventId: string } | null;

/** One repricing of an organization at a time: held until the transaction ends. */
export async function holdRepricings(em: EntityManager, organizationId: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock(727011, hashtext($1))', [organizationId]);
}

/** The one that was begun with this order and has not come to its end. */
export async function findUnfinishedRepricing(
  em: EntityManager,
  organizationId: string,
  order: RepricingOrder,
): Promise<string | null> {
  const [row] = await query<{ id: string }>(
    em,
    `
    select id from repricing where organization_id = $1 and finished_at is null and period_start = $2 and period_end = $3
      and model is not distinct from $4 and reverts is not distinct from $5`,
    [organizationId, order.start, order.end, order.model, order.reverts],
  );
  return row?.id ?? null;
}

export async function insertRepricing(
  em: EntityManager,
  organizationId: string,
  id: string,
  order: RepricingOrder,
  at: Date,
): Promise<void> {
  await query(
    em,
    `
    insert into repricing (organization_id, id, period_start, period_end, model, reverts, started_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
    [organizationId, id, order.start, order.end, order.model, order.reverts, at],
  );
}

export interface StoredRepricing extends RepricingOrder {
  readonly id: string;
  readonly done: DonePlace;
  readonly finished: boolean;
  readonly rateGeneration: string | null;
  /** The revert of it, if there is one. */
  readonly revertedBy: string | null;
}

export async function findRepricing(
  em: EntityManager,
  organizationId: string,
  id: string,
): Promise<StoredRepricing | null> {
  const [row] = await query<Omit<StoredRepricing, 'done'> & { doneTime: string | null; doneEventId: string | null }>(
    em,
    `
    select id, ${isoMicros('period_start')} as start, ${isoMicros('period_end')} as end, model, reverts, finished_at is not null as finished,
      rate_generation,
      ${isoMicros('done_time')} as done_time, done_event_id,
      (select r.id from repricing r where r.organization_id = $1 and r.reverts = $2 limit 1) as reverted_by
    from repricing where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  if (!row) return null;
  const { doneTime, doneEventId, ...stored } = row;
  return {
    ...stored,
    done: doneTime !== null && doneEventId !== null ? { eventTime: doneTime, eventId: doneEventId } : null,
  };
}

/** It begins again, by other rates than before. */
export async function restartRepricing(
  em: EntityManager,
  organizationId: string,
  id: string,
  rateGeneration: string,
): Promise<void> {
  await query(
    em,
    'update repricing set done_time = null, done_event_id = null, rate_generation = $3 where organization_id = $1 and id = $2',
    [organizationId, id, rateGeneration],
  );
}

/** `done` null: it has come to its end. */
export async function advanceRepricing(
  em: EntityManager,
  organizationId: string,
  id: string,
  done: DonePlace,
  at: Date,
): Promise<void> {
  await query(
    em,
    done
      ? 'update repricing set done_time = $3, done_event_id = $4 where organization_id = $1 and id = $2'
      : 'update repricing set finished_at = $3 where organization_id = $1 and id = $2',
    done ? [organizationId, id, done.eventTime, done.eventId] : [organizationId, id, at],
  );
}
