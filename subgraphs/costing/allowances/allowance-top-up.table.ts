/** Top-ups of prepaid allowances. Rows are only added; their sum is the amount of the allowance. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

export const AllowanceTopUpTable = defineEntity({
  name: 'AllowanceTopUp',
  tableName: 'allowance_top_up',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    allowanceId: p.uuid().primary(),
    /** Increases with time. */
    id: p.uuid().primary(),
    /** Chosen by the caller: a key adds its amount once. */
    idempotencyKey: p.text(),
    amount: p.decimal().precision(30).scale(15),
    addedAt: p.datetime(3),
    /** Kind of caller: a session, an operator, an API key. */
    actorKind: p.text(),
    accountUserId: p.uuid().nullable(),
  },
  uniques: [{ name: 'allowance_top_up_key_unique', properties: ['organizationId', 'allowanceId', 'idempotencyKey'] }],
});

export interface TopUpRow {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly amount: string;
  readonly addedAt: string;
  readonly accountUserId: AccountUserId | null;
}

const COLUMNS = `id, idempotency_key, trim_scale(amount)::text as amount, ${isoMillis('added_at')} as added_at, account_user_id`;

interface NewTopUp {
  readonly organizationId: OrganizationId;
  readonly allowanceId: string;
  readonly id: string;
  readonly idempotencyKey: string;
  readonly amount: string;
  readonly addedAt: Date;
  readonly actorKind: string;
  readonly accountUserId: AccountUserId | null;
}

const INSERT_TOP_UP = statement<{ id: string }, NewTopUp>(`
  insert into allowance_top_up (organization_id, allowance_id, id, idempotency_key, amount, added_at, actor_kind, account_user_id)
  values (:organizationId, :allowanceId, :id, :idempotencyKey, :amount::numeric, :addedAt, :actorKind, :accountUserId)
  on conflict (organization_id, allowance_id, idempotency_key) do nothing returning id`);

/** Returns false if the key was used before. */
export async function insertTopUp(tx: WriteTransaction, topUp: NewTopUp): Promise<boolean> {
  return (await tx.first(INSERT_TOP_UP, topUp)) !== null;
}

const FIND_TOP_UP = statement<
  TopUpRow,
  { readonly organizationId: OrganizationId; readonly allowanceId: string; readonly idempotencyKey: string }
>(`select ${COLUMNS} from allowance_top_up
     where organization_id = :organizationId and allowance_id = :allowanceId and idempotency_key = :idempotencyKey`);

export function findTopUp(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  allowanceId: string,
  idempotencyKey: string,
): Promise<TopUpRow> {
  return tx.one(FIND_TOP_UP, { organizationId, allowanceId, idempotencyKey });
}

const TOP_UP_PAGE = statement<
  TopUpRow,
  {
    readonly organizationId: OrganizationId;
    readonly allowanceId: string;
    readonly limit: number;
    readonly before: string | null;
  }
>(`select ${COLUMNS} from allowance_top_up
     where organization_id = :organizationId and allowance_id = :allowanceId and (:before::uuid is null or id < :before)
     order by id desc limit :limit`);

/** A page of top-ups, newest first. */
export function topUpPage(
  tx: Transaction,
  organizationId: OrganizationId,
  page: { readonly allowanceId: string; readonly limit: number; readonly before: string | null },
): Promise<TopUpRow[]> {
  return tx.all(TOP_UP_PAGE, { organizationId, ...page });
}

const COUNT_TOP_UPS = statement<
  { count: number },
  { readonly organizationId: OrganizationId; readonly allowanceId: string }
>(
  'select count(*)::int as count from allowance_top_up where organization_id = :organizationId and allowance_id = :allowanceId',
);

export async function countTopUps(
  tx: Transaction,
  organizationId: OrganizationId,
  allowanceId: string,
): Promise<number> {
  return (await tx.one(COUNT_TOP_UPS, { organizationId, allowanceId })).count;
}
