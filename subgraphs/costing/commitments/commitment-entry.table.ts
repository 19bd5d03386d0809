/**
 * Spend for commitments, and shortfalls at the end of periods, by day; append-only. A later revision appends
 * differences, which count on `bookedDay`: the day itself, or the first open day if its month was closed (decision 29).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Amount, amount, plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { COMMITMENT_CAUSES, type CommitmentAmount } from './fulfil-commitment.ts';

export const CommitmentEntryTable = defineEntity({
  name: 'CommitmentEntry',
  tableName: 'commitment_entry',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    commitmentId: p.uuid().primary(),
    day: p.date().primary(),
    /** Revision number of the commitment's entries, starting at 1. */
    revision: p.integer().primary(),
    cause: p.enum(COMMITMENT_CAUSES).primary(),
    bookedDay: p.date(),
    amount: p.decimal().precision(30).scale(15),
    recordedAt: p.datetime(6).defaultRaw('now()'),
  },
  indexes: [{ name: 'commitment_entry_booked_index', properties: ['organizationId', 'bookedDay'] }],
});

/** The booked amount of a day: the sum over all revisions. */
export interface BookedAmount extends CommitmentAmount {
  readonly commitmentId: string;
  /** The latest revision. */
  readonly revision: number;
}

const LIST = statement<
  Omit<BookedAmount, 'amount'> & { readonly amount: string },
  { readonly organizationId: OrganizationId; readonly fromDay: string | null; readonly asOf: Date | null }
>(`
  select commitment_id, day::text, cause, sum(amount)::text as amount, max(revision) as revision
  from commitment_entry where organization_id = :organizationId and (:fromDay::date is null or day >= :fromDay::date)
    and (:asOf::timestamptz is null or recorded_at <= :asOf)
  group by 1, 2, 3 order by 2`);

/** Booked amounts by day: all of them, or from a given day on; as known at a given instant, or now. */
export async function listBookedAmounts(
  tx: Transaction,
  organizationId: OrganizationId,
  { fromDay = null, asOf = null }: { readonly fromDay?: string | null; readonly asOf?: Date | null } = {},
): Promise<readonly BookedAmount[]> {
  const rows = await tx.all(LIST, { organizationId, fromDay, asOf });
  return rows.map((row) => ({ ...row, amount: amount(row.amount) }));
}

const INSERT = statement<
  object,
  Omit<BookedAmount, 'amount'> & {
    readonly organizationId: OrganizationId;
    readonly bookedDay: string;
    readonly amount: string;
  }
>(`
  insert into commitment_entry (organization_id, commitment_id, day, revision, cause, booked_day, amount)
  values (:organizationId, :commitmentId, :day, :revision, :cause, :bookedDay, :amount)`);

export async function insertCommitmentEntry(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  entry: BookedAmount & { readonly bookedDay: string },
): Promise<void> {
  await tx.run(INSERT, { ...entry, organizationId, amount: plain(entry.amount) });
}

const SUM_SHORTFALLS = statement<
  { commitmentId: string; amount: string },
  { readonly organizationId: OrganizationId; readonly fromDay: string; readonly untilDay: string }
>(`
  select commitment_id, sum(amount)::text as amount from commitment_entry
  where organization_id = :organizationId and cause = 'shortfall'
    and booked_day >= :fromDay::date and booked_day < :untilDay::date
  group by 1`);

/** Shortfalls booked on these days, by commitment, including removed commitments. */
export async function sumShortfalls(
  tx: Transaction,
  organizationId: OrganizationId,
  days: { readonly fromDay: string; readonly untilDay: string },
): Promise<ReadonlyMap<string, Amount>> {
  const rows = await tx.all(SUM_SHORTFALLS, { organizationId, ...days });
  return new Map(rows.map(({ commitmentId, amount: text }) => [commitmentId, amount(text)]));
}
