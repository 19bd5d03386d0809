/** The evaluation state of each organization: when it is due, and which days wait. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const OrganizationEvaluationTable = defineEntity({
  name: 'OrganizationPlace',
  tableName: 'organization_place',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    firstSeenAt: p.datetime(3),
    /** When the rules evaluated every minute are due. */
    dueAt: p.datetime(3),
    /** When the rules on settled days are due. */
    dailyDueAt: p.datetime(3),
    /** Why a day is not judged although it ended long enough ago, as plain text; null if nothing waits. */
    waitingFor: p.text().nullable(),
    evaluatedAt: p.datetime(3).nullable(),
    /** Consecutive failed evaluations. */
    attempt: p.integer(),
  },
  indexes: [{ name: 'organization_place_due_index', properties: ['dueAt'] }],
});

const ADD_PLACES = statement(
  (input: Parameters<{ organizationIds: readonly OrganizationId[]; at: Date }>) =>
    sql<object>`insert into organization_place (organization_id, first_seen_at, due_at, daily_due_at, attempt)
      select id, ${input.at}, ${input.at}, ${input.at}, 0 from unnest(${input.organizationIds}::uuid[]) as watched (id)
      on conflict (organization_id) do nothing`,
);

/** New organizations are due immediately. */
export async function addOrganizations(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
  at: Date,
): Promise<void> {
  await tx.run(ADD_PLACES, { organizationIds, at });
}

export interface DueOrganization {
  readonly organizationId: OrganizationId;
  /** ISO 8601 UTC; null if never evaluated. */
  readonly evaluatedAt: string | null;
  readonly isDailyDue: boolean;
  readonly attempt: number;
  readonly waitingFor: string | null;
}

const CLAIM = statement(
  (input: Parameters<{ at: Date; nextAt: Date; max: number }>) =>
    sql<DueOrganization>`with due as (
        select organization_id, evaluated_at from organization_place where due_at <= ${input.at}
        order by due_at limit ${input.max} for update skip locked)
      update organization_place as place set due_at = ${input.nextAt}, evaluated_at = ${input.at}
      from due where place.organization_id = due.organization_id
      returning place.organization_id, ${sql.raw(isoMillis('due.evaluated_at'))} as evaluated_at,
        place.daily_due_at <= ${input.at} as is_daily_due, place.attempt, place.waiting_for`,
);

/** Claims due organizations; no other process takes them before they are due again. */
export function claimDueOrganizations(
  tx: WriteTransaction,
  at: Date,
  nextAt: Date,
  max: number,
): Promise<DueOrganization[]> {
  return tx.all(CLAIM, { at, nextAt, max });
}

const HOLD_PLACE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`select 1 from organization_place where organization_id = ${organizationId} for update`,
);

/** Locks the row: nobody else can change states and episodes of the organization until the transaction ends. */
export async function lockEvaluation(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(HOLD_PLACE, { organizationId });
}

const KEEP_PLACES = statement(
  (input: Parameters<{ places: string }>) =>
    sql<object>`update organization_place as place
      set daily_due_at = coalesce(kept.daily_due_at, place.daily_due_at), waiting_for = kept.waiting_for, attempt = kept.attempt,
        due_at = coalesce(kept.due_at, place.due_at)
      from jsonb_to_recordset(${input.places}::text::jsonb)
        as kept (organization_id uuid, daily_due_at timestamptz, waiting_for text, attempt int, due_at timestamptz)
      where place.organization_id = kept.organization_id`,
);

export interface EvaluatedOrganization {
  readonly organizationId: OrganizationId;
  /** Null to leave it unchanged. */
  readonly dailyDueAt: Date | null;
  readonly waitingFor: string | null;
  readonly attempt: number;
  /** Null to leave it as claimed. */
  readonly dueAt: Date | null;
}

/** Saves the results of evaluations that change something. */
export async function keepEvaluations(tx: WriteTransaction, places: readonly EvaluatedOrganization[]): Promise<void> {
  if (places.length === 0) return;
  const rows = places.map((place) => ({
    organization_id: place.organizationId,
    daily_due_at: place.dailyDueAt,
    waiting_for: place.waitingFor,
    attempt: place.attempt,
    due_at: place.dueAt,
  }));
  await tx.run(KEEP_PLACES, { places: JSON.stringify(rows) });
}

const FIND_PLACE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<
      Pick<DueOrganization, 'evaluatedAt' | 'waitingFor'>
    >`select ${sql.raw(isoMillis('evaluated_at'))} as evaluated_at, waiting_for
      from organization_place where organization_id = ${organizationId}`,
);

/** Null if the round has not processed the organization yet. */
export function findEvaluation(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<Pick<DueOrganization, 'evaluatedAt' | 'waitingFor'> | null> {
  return tx.first(FIND_PLACE, { organizationId });
}
