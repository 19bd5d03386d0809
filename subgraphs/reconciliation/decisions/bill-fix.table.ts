/** People's decisions about differences, with the data needed to revert them. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

/**
 * `ACCEPT`: accepts a difference. `UNTRACK`: marks a scope as not tracked. `RATE`: sets a rate and reprices. `DISCOUNT`:
 * saves an agreement with the provider and reprices. `ADJUST`: books an amount without a customer, whose id in costing is
 * the fix's id.
 */
const FIX_KINDS = ['ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT', 'ADJUST'] as const;

export const BillFixTable = defineEntity({
  name: 'BillFix',
  tableName: 'bill_fix',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time-ordered. */
    id: p.uuid().primary(),
    connectionId: p.uuid(),
    kind: p.enum(FIX_KINDS),
    day: p.date(),
    lastDay: p.date(),
    /** Null for lines without a model. */
    model: p.text().nullable(),
    /** Unit of lines that have a unit instead of a model. */
    unit: p.text().nullable(),
    /** The accepted amount: if the difference changes, it is shown again. */
    amount: p.decimal().columnType('numeric').nullable(),
    scope: p.text().nullable(),
    /** The cause that an `ADJUST` books; null for the unexplained part. */
    cause: p.enum(['NOT_TRACKED']).nullable(),
    note: p.text(),
    /** The rate card that a `RATE` changed. */
    rateCardId: p.uuid().nullable(),
    /** The agreement that a `DISCOUNT` changed. */
    agreementId: p.uuid().nullable(),
    /** The repricing of a `RATE` or `DISCOUNT`; null until it has started. */
    operationId: p.uuid().nullable(),
    appliedAt: p.datetime(3),
    appliedBy: p.uuid().nullable(),
    revertedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'bill_fix_day_index', properties: ['organizationId', 'connectionId', 'day'] }],
});

type Row = InferEntity<typeof BillFixTable>;

export type BillFixRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export async function insertFix(tx: WriteTransaction, fix: BillFixRow): Promise<void> {
  await tx.em.insert(BillFixTable, fix);
}

const COLUMNS = sql.raw(
  `id, connection_id, kind, day::text as day, last_day::text as last_day, model, unit, amount::text as amount, scope, cause, note,
   rate_card_id, agreement_id, operation_id, ${isoMillis('applied_at')} as applied_at, applied_by, ${isoMillis('reverted_at')} as reverted_at`,
);

/** Times are ISO 8601 UTC. */
export type StoredFix = Omit<BillFixRow, 'organizationId' | 'appliedAt' | 'revertedAt'> & {
  readonly appliedAt: string;
  readonly revertedAt: string | null;
};

/** What a `RATE` or `DISCOUNT` created in costing, to revert it. */
export type Repair = Pick<BillFixRow, 'rateCardId' | 'agreementId' | 'operationId'>;

const LIST = statement(
  (input: Parameters<{ organizationId: OrganizationId; from: string; until: string }>) =>
    sql<StoredFix>`select ${COLUMNS} from bill_fix where organization_id = ${input.organizationId}
      and day >= ${input.from}::date and day < ${input.until}::date order by id`,
);

/** Fixes, including reverted ones, whose day is in a half-open range. */
export function listFixes(
  tx: Transaction,
  input: { organizationId: OrganizationId; from: string; until: string },
): Promise<StoredFix[]> {
  return tx.all(LIST, input);
}

const RECORD = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string } & Repair>) =>
    sql<StoredFix>`update bill_fix set rate_card_id = ${input.rateCardId}, agreement_id = ${input.agreementId},
        operation_id = ${input.operationId}
      where organization_id = ${input.organizationId} and id = ${input.id} and reverted_at is null returning ${COLUMNS}`,
);

/** Null if the fix was reverted. */
export function recordRepair(
  tx: Transaction,
  input: { organizationId: OrganizationId; id: string } & Repair,
): Promise<StoredFix | null> {
  return tx.first(RECORD, input);
}

const WITHDRAW = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<object>`delete from bill_fix where organization_id = ${input.organizationId} and id = ${input.id}
      and rate_card_id is null and agreement_id is null`,
);

/** Deletes a fix that has changed nothing. */
export async function withdrawFix(
  tx: Transaction,
  input: { organizationId: OrganizationId; id: string },
): Promise<void> {
  await tx.run(WITHDRAW, input);
}

const REVERT = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date }>) =>
    sql<StoredFix>`update bill_fix set reverted_at = ${input.at}
      where organization_id = ${input.organizationId} and id = ${input.id} and reverted_at is null returning ${COLUMNS}`,
);

/** Null if it does not exist or was already reverted. */
export function revertFix(
  tx: Transaction,
  input: { organizationId: OrganizationId; id: string; at: Date },
): Promise<StoredFix | null> {
  return tx.first(REVERT, input);
}

const FIND = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<StoredFix>`select ${COLUMNS} from bill_fix where organization_id = ${input.organizationId} and id = ${input.id}`,
);

export function findFix(
  tx: Transaction,
  input: { organizationId: OrganizationId; id: string },
): Promise<StoredFix | null> {
  return tx.first(FIND, input);
}
