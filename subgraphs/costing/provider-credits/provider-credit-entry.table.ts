/**
 * The amounts that credits paid, and those that expired, by day; append-only. A later revision appends differences,
 * which count on `bookedDay`: the day itself, or the first open day if its month was closed (decision 29).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Amount, amount, plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Burn, CREDIT_CAUSES, type CreditCause } from './burn-credits.ts';

export const ProviderCreditEntryTable = defineEntity({
  name: 'ProviderCreditEntry',
  tableName: 'provider_credit_entry',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    creditId: p.uuid().primary(),
    day: p.date().primary(),
    /** Revision number of the credit's entries, starting at 1. */
    revision: p.integer().primary(),
    cause: p.enum(CREDIT_CAUSES).primary(),
    bookedDay: p.date(),
    amount: p.decimal().precision(30).scale(15),
    recordedAt: p.datetime(6).defaultRaw('now()'),
  },
  indexes: [{ name: 'provider_credit_entry_booked_index', properties: ['organizationId', 'bookedDay'] }],
});

type BurnRow = Omit<Burn, 'amount'> & { readonly amount: string; readonly revision: number };

const LIST_BURNS = statement<BurnRow, { readonly organizationId: OrganizationId }>(`
  select credit_id, day::text, cause, sum(amount)::text as amount, max(revision) as revision
  from provider_credit_entry where organization_id = :organizationId group by 1, 2, 3`);

/** Booked amounts by credit, day and cause: the sums over all revisions, and the number of the last one. */
export async function listBurns(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<readonly (Burn & { readonly revision: number })[]> {
  const rows = await tx.all(LIST_BURNS, { organizationId });
  return rows.map((row) => ({ ...row, amount: amount(row.amount) }));
}

const INSERT_ENTRY = statement<
  object,
  Omit<BurnRow, 'creditId'> & {
    readonly organizationId: OrganizationId;
    readonly creditId: string;
    readonly bookedDay: string;
  }
>(`
  insert into provider_credit_entry (organization_id, credit_id, day, revision, cause, booked_day, amount)
  values (:organizationId, :creditId, :day, :revision, :cause, :bookedDay, :amount)`);

export async function insertCreditEntry(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  entry: Burn & { readonly revision: number; readonly bookedDay: string },
): Promise<void> {
  await tx.run(INSERT_ENTRY, { ...entry, organizationId, amount: plain(entry.amount) });
}

export type CreditSums = Readonly<Record<CreditCause, Amount>>;

const READ_SUMS = statement<
  { creditId: string; cause: CreditCause; amount: string },
  {
    readonly organizationId: OrganizationId;
    readonly asOf: Date | null;
    readonly fromDay: string | null;
    readonly untilDay: string | null;
  }
>(`
  select credit_id, cause, sum(amount)::text as amount from provider_credit_entry
  where organization_id = :organizationId and (:asOf::timestamptz is null or recorded_at <= :asOf)
    and (:fromDay::date is null or booked_day >= :fromDay::date) and (:untilDay::date is null or booked_day < :untilDay::date)
  group by 1, 2`);

/** Sums by credit, over all booked days or some of them, as known at an instant or now. */
export async function readCreditSums(
  tx: Transaction,
  organizationId: OrganizationId,
  {
    asOf = null,
    days = null,
  }: {
    readonly asOf?: Date | null;
    readonly days?: { readonly fromDay: string; readonly untilDay: string } | null;
  } = {},
): Promise<ReadonlyMap<string, CreditSums>> {
  const input = { organizationId, asOf, fromDay: days?.fromDay ?? null, untilDay: days?.untilDay ?? null };
  const sums = new Map<string, CreditSums>();
  for (const { creditId, cause, amount: text } of await tx.all(READ_SUMS, input))
    sums.set(creditId, { ...(sums.get(creditId) ?? NO_SUMS), [cause]: amount(text) });
  return sums;
}

export interface BookedBurn {
  readonly creditId: string;
  readonly day: string;
  readonly amount: Amount;
}

const READ_DAYS = statement<
  { creditId: string; day: string; amount: string },
  { readonly organizationId: OrganizationId; readonly fromDay: string; readonly untilDay: string }
>(`
  select credit_id, booked_day::text as day, sum(amount)::text as amount from provider_credit_entry
  where organization_id = :organizationId and cause = 'burn' and booked_day >= :fromDay::date and booked_day < :untilDay::date
  group by 1, 2`);

/** The amounts that each credit paid on each booked day. */
export async function readBurnDays(
  tx: Transaction,
  organizationId: OrganizationId,
  days: { readonly fromDay: string; readonly untilDay: string },
): Promise<readonly BookedBurn[]> {
  const rows = await tx.all(READ_DAYS, { organizationId, ...days });
  return rows.map((row) => ({ ...row, amount: amount(row.amount) }));
}

export const NO_SUMS: CreditSums = { burn: 0n, expiry: 0n };
