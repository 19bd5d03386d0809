/** The remaining credits of an organization: one row for each organization with a plan or a pack. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, type Statement, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { CreditAccount } from './credit-account.ts';
import type { Plan } from './plan-of.ts';
import type { Spending } from './spend-credits.ts';
import { findPacks, takeFromPacks } from './event-pack.table.ts';

export const CreditAccountTable = defineEntity({
  name: 'CreditAccount',
  tableName: 'credit_account',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Events of the plan per period; null without a plan. The next four are then null too. */
    allotment: p.bigint().nullable(),
    /** Negative if the plan was reduced below the number of events used in its period. */
    allotmentLeft: p.bigint().nullable(),
    softLimit: p.bigint().nullable(),
    renewsAt: p.datetime(3).nullable(),
    renewalDay: p.integer().nullable(),
    /** Credits spent since the account was created: the number of its charged events. */
    spent: p.bigint(),
    /** The part of these credits that was paid from packs. */
    spentFromPacks: p.bigint(),
  },
});

const db = tables<typeof CreditAccountTable>();

/** The stored plan and packs, and the plan's soft limit. */
export interface StoredCredits {
  readonly account: CreditAccount;
  readonly softLimit: number | null;
}

interface AccountRow {
  readonly size: number | null;
  readonly left: number;
  readonly softLimit: number | null;
  readonly renewsAtMs: number;
  readonly renewalDay: number;
}

const ACCOUNT = `
  select allotment::float8 as size, allotment_left::float8 as "left", soft_limit::float8,
    (extract(epoch from renews_at) * 1000)::float8 as renews_at_ms, renewal_day
  from credit_account where organization_id = :organizationId`;
const FIND_ACCOUNT = statement<AccountRow, { readonly organizationId: OrganizationId }>(ACCOUNT);
const LOCK_ACCOUNT = statement<AccountRow, { readonly organizationId: OrganizationId }>(`${ACCOUNT} for update`);

const NO_CREDITS: StoredCredits = { account: { allotment: null, packs: [] }, softLimit: null };

/** Reads credits without a lock. A renewal that is due is not applied here, but by `renewed(account, now)`. */
export async function findCredits(tx: Transaction, organizationId: OrganizationId): Promise<StoredCredits> {
  return readCredits(tx, FIND_ACCOUNT, organizationId);
}

/**
 * Reads credits and locks them: other transactions can neither spend nor add until this one ends. Without an account,
 * nothing is locked.
 */
export async function lockCredits(tx: WriteTransaction, organizationId: OrganizationId): Promise<StoredCredits> {
  return readCredits(tx, LOCK_ACCOUNT, organizationId);
}

async function readCredits(
  tx: Transaction,
  readAccount: Statement<{ readonly organizationId: OrganizationId }, AccountRow>,
  organizationId: OrganizationId,
): Promise<StoredCredits> {
  const row = await tx.first(readAccount, { organizationId });
  if (row === null) return NO_CREDITS;
  const packs = await findPacks(tx, organizationId);
  const { size, left, renewalDay } = row;
  const allotment = size === null ? null : { size, left, renewsAt: new Date(row.renewsAtMs), renewalDay };
  return { account: { allotment, packs }, softLimit: row.softLimit };
}

const SAVE_SPENDING = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      left: number | null;
      renewsAt: Date | null;
      covered: number;
      takenFromPacks: number;
    }>,
  ) => sql<object>`
    update credit_account
    set allotment_left = ${input.left}, renews_at = ${input.renewsAt}, spent = spent + ${input.covered}, spent_from_packs = spent_from_packs + ${input.takenFromPacks}
    where organization_id = ${input.organizationId}`,
);

/** Stores the result of `spendCredits`, under the lock. */
export async function saveSpending(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { covered, fromPacks, account }: Spending,
): Promise<void> {
  const takenFromPacks = fromPacks.reduce((total, { taken }) => total + taken, 0);
  await tx.run(SAVE_SPENDING, {
    organizationId,
    left: account.allotment?.left ?? null,
    renewsAt: account.allotment?.renewsAt ?? null,
    covered,
    takenFromPacks,
  });
  if (fromPacks.length > 0) await takeFromPacks(tx, organizationId, fromPacks);
}

const OPEN_CREDIT_ACCOUNT = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db
    .insertInto('creditAccount')
    .values({ organizationId, spent: 0, spentFromPacks: 0 })
    .onConflict((conflict) => conflict.columns(['organizationId']).doNothing()),
);

/** Ensures that a row to lock exists. Once committed, the organization has a balance. */
export async function openCreditAccount(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(OPEN_CREDIT_ACCOUNT, { organizationId });
}

const SAVE_PLAN = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      allotment: number;
      left: number;
      softLimit: number;
      renewsAt: Date;
      renewalDay: number;
    }>,
  ) =>
    db
      .updateTable('creditAccount')
      .set({
        allotment: input.allotment,
        allotmentLeft: input.left,
        softLimit: input.softLimit,
        renewsAt: input.renewsAt,
        renewalDay: input.renewalDay,
      })
      .where('organizationId', '=', input.organizationId),
);

export async function savePlan(tx: WriteTransaction, organizationId: OrganizationId, plan: Plan): Promise<void> {
  await tx.run(SAVE_PLAN, {
    organizationId,
    allotment: plan.allotment,
    left: plan.left,
    softLimit: plan.softLimit,
    renewsAt: plan.renewsAt,
    renewalDay: plan.renewalDay,
  });
}
