/**
 * Costs that do not belong to an event or an end user, such as the unexplained part of a provider's bill. Append-only:
 * a revert appends the opposite. An adjustment counts on `bookedDay`: its day, or the first open day if its month is
 * closed (decision 29).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

export const CostAdjustmentTable = defineEntity({
  name: 'CostAdjustment',
  tableName: 'cost_adjustment',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    day: p.date(),
    bookedDay: p.date(),
    provider: p.text(),
    model: p.text().nullable(),
    amount: p.decimal().precision(30).scale(15),
    note: p.text(),
    /** The adjustment that this one reverts. */
    reversesId: p.uuid().nullable(),
    recordedAt: p.datetime(6).defaultRaw('now()'),
    /** Null for an operator. */
    recordedBy: p.uuid().nullable(),
  },
  uniques: [{ name: 'cost_adjustment_reverses_key', properties: ['organizationId', 'reversesId'] }],
  indexes: [{ name: 'cost_adjustment_booked_index', properties: ['organizationId', 'bookedDay'] }],
});

export interface AdjustmentRow {
  readonly id: string;
  readonly day: string;
  readonly bookedDay: string;
  readonly provider: string;
  readonly model: string | null;
  /** USD, as text. */
  readonly amount: string;
  readonly note: string;
  readonly reversesId: string | null;
  readonly isReverted: boolean;
}

export type NewAdjustment = Omit<AdjustmentRow, 'isReverted'> & { readonly recordedBy: string | null };

const INSERT = statement<{ id: string }, NewAdjustment & { readonly organizationId: OrganizationId }>(`
  insert into cost_adjustment (organization_id, id, day, booked_day, provider, model, amount, note, reverses_id, recorded_by)
  values (:organizationId, :id, :day::date, :bookedDay::date, :provider, :model, :amount::numeric, :note, :reversesId, :recordedBy)
  on conflict do nothing returning id`);

/**
 * Returns false, and changes nothing, if an adjustment with the same id exists, or one that reverts the same
 * adjustment.
 */
export async function insertAdjustment(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  adjustment: NewAdjustment,
): Promise<boolean> {
  return (await tx.first(INSERT, { organizationId, ...adjustment })) !== null;
}

const COLUMNS = `a.id, a.day::text as day, a.booked_day::text as booked_day, a.provider, a.model, trim_scale(a.amount)::text as amount, a.note,
  a.reverses_id, exists (
    select 1 from cost_adjustment r where r.organization_id = :organizationId and r.reverses_id = a.id) as is_reverted`;

const FIND = statement<AdjustmentRow, { readonly organizationId: OrganizationId; readonly ids: readonly string[] }>(
  `select ${COLUMNS} from cost_adjustment a where a.organization_id = :organizationId and a.id = any(:ids::uuid[]) order by a.id`,
);

export function findAdjustments(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<AdjustmentRow[]> {
  return tx.all(FIND, { organizationId, ids });
}

interface Days {
  readonly organizationId: OrganizationId;
  readonly fromDay: string;
  readonly untilDay: string;
}

const LIST = statement<AdjustmentRow, Days & { readonly limit: number; readonly offset: number }>(`
  select ${COLUMNS} from cost_adjustment a
  where a.organization_id = :organizationId and a.booked_day >= :fromDay::date and a.booked_day < :untilDay::date
  order by a.booked_day desc, a.recorded_at desc, a.id limit :limit offset :offset`);

const SUM = statement<{ amount: string; count: number }, Days>(`
  select coalesce(trim_scale(sum(amount)), 0)::text as amount, count(*)::float8 as count from cost_adjustment
  where organization_id = :organizationId and booked_day >= :fromDay::date and booked_day < :untilDay::date`);

/** Sum and number of the adjustments booked on these days. */
export function sumAdjustments(
  tx: Transaction,
  days: Days,
): Promise<{ readonly amount: string; readonly count: number }> {
  return tx.one(SUM, days);
}

/** Adjustments booked on these days, newest first, with the sum and number of all of them. */
export async function readAdjustments(
  tx: Transaction,
  days: Days,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: AdjustmentRow[]; readonly amount: string; readonly count: number }> {
  const rows = await tx.all(LIST, { ...days, limit: page.limit, offset: page.offset });
  return { rows, ...(await sumAdjustments(tx, days)) };
}
