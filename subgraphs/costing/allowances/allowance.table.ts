/** Allowances: an amount of USD for the organization, an end user or an agent, per day, per month or prepaid. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

const SUBJECTS = ['organization', 'end_user', 'agent'] as const;
const PERIODS = ['day', 'month', 'prepaid'] as const;
const POLICIES = ['deny', 'warn'] as const;

export const AllowanceTable = defineEntity({
  name: 'Allowance',
  tableName: 'allowance',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Increases with time. */
    id: p.uuid().primary(),
    subject: p.enum(SUBJECTS),
    /** The `user_id` or `agent_id` of events; empty for the organization. */
    subjectId: p.text(),
    period: p.enum(PERIODS),
    /** Whether an allowance that is used up denies further spending or only warns. */
    policy: p.enum(POLICIES),
    /** USD per period; null if prepaid: then the top-ups are the amount. */
    amount: p.decimal().precision(30).scale(15).nullable(),
    /** Costs that the ledger books at an earlier time do not count. */
    countsFrom: p.datetime(6),
    changedAt: p.datetime(3),
  },
  uniques: [{ name: 'allowance_subject_unique', properties: ['organizationId', 'subject', 'subjectId', 'period'] }],
  checks: [
    { name: 'allowance_amount', expression: "(amount is null) = (period = 'prepaid')" },
    { name: 'allowance_subject_id', expression: "(subject_id = '') = (subject = 'organization')" },
  ],
});

type AllowanceSubject = (typeof SUBJECTS)[number];
export type AllowancePeriod = (typeof PERIODS)[number];
export type AllowancePolicy = (typeof POLICIES)[number];

/** The subject and period of an allowance. At most one allowance exists for each pair. */
export interface AllowanceKey {
  readonly subject: AllowanceSubject;
  readonly subjectId: string;
  readonly period: AllowancePeriod;
}

/** SQL for the first instant of the period that contains `at`. A prepaid allowance has one period. */
export const periodStart = (period: string, at: string) =>
  `(case ${period} when 'day' then date_trunc('day', ${at}, 'UTC') when 'month' then date_trunc('month', ${at}, 'UTC') else 'epoch'::timestamptz end)`;

/** SQL for the USD of an allowance `a` per period. */
export const ALLOWED_AMOUNT = `(case a.period when 'prepaid' then (
    select coalesce(sum(t.amount), 0) from allowance_top_up t where t.organization_id = :organizationId and t.allowance_id = a.id)
  else a.amount end)`;

const FIND_ALLOWANCE = statement<
  { id: string; countsFrom: string },
  AllowanceKey & { readonly organizationId: OrganizationId }
>(`select id, ${isoMicros('counts_from')} as counts_from from allowance
     where organization_id = :organizationId and subject = :subject and subject_id = :subjectId and period = :period for update`);

/** The allowance with this key, locked by this transaction; null if it does not exist. */
export function lockAllowance(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { subject, subjectId, period }: AllowanceKey,
): Promise<{ readonly id: string; readonly countsFrom: string } | null> {
  return tx.first(FIND_ALLOWANCE, { organizationId, subject, subjectId, period });
}

const FIND_PERIOD = statement<
  { period: AllowancePeriod; subject: AllowanceSubject; subjectId: string },
  { readonly organizationId: OrganizationId; readonly id: string }
>(
  'select period, subject, subject_id from allowance where organization_id = :organizationId and id = :id for key share',
);

/** Keeps the allowance from being removed until the transaction ends. */
export function keepAllowance(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AllowanceKey | null> {
  return tx.first(FIND_PERIOD, { organizationId, id });
}

const COUNT_ALLOWANCES = statement<{ count: number }, { readonly organizationId: OrganizationId }>(
  'select count(*)::int as count from allowance where organization_id = :organizationId',
);

export async function countAllowances(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  return (await tx.one(COUNT_ALLOWANCES, { organizationId })).count;
}

export interface NewAllowance extends AllowanceKey {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly policy: AllowancePolicy;
  readonly amount: string | null;
  /** ISO 8601. */
  readonly countsFrom: string;
  readonly at: Date;
}

const INSERT_ALLOWANCE = statement<{ id: string }, NewAllowance>(`
  insert into allowance (organization_id, id, subject, subject_id, period, policy, amount, counts_from, changed_at)
  values (:organizationId, :id, :subject, :subjectId, :period, :policy, :amount::numeric, :countsFrom::timestamptz, :at)
  on conflict (organization_id, subject, subject_id, period) do nothing returning id`);

/** Returns false if the subject already has an allowance with this period. */
export async function insertAllowance(tx: WriteTransaction, allowance: NewAllowance): Promise<boolean> {
  return (await tx.first(INSERT_ALLOWANCE, allowance)) !== null;
}

const UPDATE_ALLOWANCE = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly id: string;
    readonly policy: AllowancePolicy;
    readonly amount: string | null;
    readonly at: Date;
  }
>(`update allowance set policy = :policy, amount = :amount::numeric, changed_at = :at
     where organization_id = :organizationId and id = :id`);

export async function updateAllowance(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  { policy, amount }: { readonly policy: AllowancePolicy; readonly amount: string | null },
  at: Date,
): Promise<void> {
  await tx.run(UPDATE_ALLOWANCE, { organizationId, id, policy, amount, at });
}

const DELETE_ALLOWANCE = statement<AllowanceKey, { readonly organizationId: OrganizationId; readonly id: string }>(
  `delete from allowance where organization_id = :organizationId and id = :id returning subject, subject_id, period`,
);
const DELETE_PERIODS = statement<object, { readonly organizationId: OrganizationId; readonly id: string }>(
  'delete from allowance_period where organization_id = :organizationId and allowance_id = :id',
);
const DELETE_TOP_UPS = statement<object, { readonly organizationId: OrganizationId; readonly id: string }>(
  'delete from allowance_top_up where organization_id = :organizationId and allowance_id = :id',
);

/** Deletes an allowance with its periods and top-ups. Returns null if it does not exist. */
export async function deleteAllowance(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AllowanceKey | null> {
  const deleted = await tx.first(DELETE_ALLOWANCE, { organizationId, id });
  if (deleted === null) return null;
  await tx.run(DELETE_PERIODS, { organizationId, id });
  await tx.run(DELETE_TOP_UPS, { organizationId, id });
  return deleted;
}

const RENAME_END_USER = statement<
  object,
  { readonly organizationId: OrganizationId; readonly externalId: string; readonly pseudonym: string }
>(`update allowance set subject_id = :pseudonym
     where organization_id = :organizationId and subject = 'end_user' and subject_id = :externalId`);

/** Assigns the allowances of an erased end user to its pseudonym, like its events. */
export async function renameAllowedEndUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
  pseudonym: string,
): Promise<void> {
  await tx.run(RENAME_END_USER, { organizationId, externalId, pseudonym });
}
