/** What an organization may still ingest: one exact row for each organization that has a plan or a pack, none for the others. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
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
    /** Events of the plan in each period; null without a plan. The next four are null with it. */
    allotment: p.bigint().nullable(),
    /** Below zero when a plan was made smaller than what its period had used. */
    allotmentLeft: p.bigint().nullable(),
    softLimit: p.bigint().nullable(),
    renewsAt: p.datetime(3).nullable(),
    renewalDay: p.integer().nullable(),
    /** Credits spent since there is an account: the number of its charged events. */
    spent: p.bigint(),
    /** The part of them that packs paid for. */
    spentFromPacks: p.bigint(),
  },
});

export type CreditAccountRow = InferEntity<typeof CreditAccountTable>;

/** Plan and packs as they stand; the plan's soft limit next to them. */
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

const NO_CREDITS: StoredCredits = { account: { allotment: null, packs: [] }, softLimit: null };

/** Credits to look at. A renewal that is due shows in `renewed(account, now)`, not here. */
export async function findCredits(tx: Transaction, organizationId: string): Promise<StoredCredits> {
  return readCredits(tx, organizationId, '');
}

/** Credits to change: no one else spends or adds until the transaction ends. Without an account there is nothing to lock. */
export async function lockCredits(em: EntityManager, organizationId: string): Promise<StoredCredits> {
  return readCredits(em, organizationId, 'for update');
}

async function readCredits(tx: Transaction, organizationId: string, lock: string): Promise<StoredCredits> {
  const [row] = await query<AccountRow>(
    tx,
    `
    select allotment::float8 as size, allotment_left::float8 as "left", soft_limit::float8,
      (extract(epoch from renews_at) * 1000)::float8 as renews_at_ms, renewal_day
    from credit_account where organization_id = $1 ${lock}`,
    [organizationId],
  );
  if (row === undefined) return NO_CREDITS;
  const packs = await findPacks(tx, organizationId);
  const { size, left, renewalDay } = row;
  const allotment = size === null ? null : { size, left, renewsAt: new Date(row.renewsAtMs), renewalDay };
  return { account: { allotment, packs }, softLimit: row.softLimit };
}

/** Writes down what `spendCredits` decided, under the lock. */
export async function saveSpending(
  em: EntityManager,
  organizationId: string,
  { covered, fromPacks, account }: Spending,
): Promise<void> {
  const takenFromPacks = fromPacks.reduce((total, { taken }) => total + taken, 0);
  await query(
    em,
    `
    update credit_account
    set allotment_left = $2, renews_at = $3, spent = spent + $4, spent_from_packs = spent_from_packs + $5
    where organization_id = $1`,
    [organizationId, account.allotment?.left ?? null, account.allotment?.renewsAt ?? null, covered, takenFromPacks],
  );
  if (fromPacks.length > 0) await takeFromPacks(em, organizationId, fromPacks);
}

/** Makes sure that there is a row to lock: from its commit on the organization has a balance. */
export async function openCreditAccount(em: EntityManager, organizationId: string): Promise<void> {
  await query(
    em,
    `
    insert into credit_account (organization_id, spent, spent_from_packs) values ($1, 0, 0)
    on conflict (organization_id) do nothing`,
    [organizationId],
  );
}

export async function savePlan(em: EntityManager, organizationId: string, plan: Plan): Promise<void> {
  await query(
    em,
    `
    update credit_account set allotment = $2, allotment_left = $3, soft_limit = $4, renews_at = $5, renewal_day = $6
    where organization_id = $1`,
    [organizationId, plan.allotment, plan.left, plan.softLimit, plan.renewsAt, plan.renewalDay],
  );
}
