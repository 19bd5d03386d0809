/**
 * Operators run the service; each has a named token. They belong to no organization, and their token gives access to
 * all.
 */
import { lock } from '#platform/database/locks.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';

export const OperatorTable = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  properties: {
    id: p.uuid().primary(),
    /** Unique among tokens that are not revoked. */
    name: p.text(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
    /** The operator who created or rotated it; null for the token of the first start. */
    createdBy: p.uuid().nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'operator_token_hash_unique', properties: ['tokenHash'] }],
});

export type Operator = InferEntity<typeof OperatorTable>;

const db = tables<typeof OperatorTable>();

export interface ActiveOperator {
  readonly id: string;
  readonly name: string;
  readonly isUseUnrecorded: boolean;
}

const FIND_ACTIVE = statement(
  ({ tokenHash, recordUseBefore }: Parameters<{ tokenHash: Buffer; recordUseBefore: Date }>) =>
    db
      .selectFrom('operator')
      .select(['id', 'name'])
      .select(sql<boolean>`coalesce(last_used_at < ${recordUseBefore}, true)`.as('isUseUnrecorded'))
      .where('tokenHash', '=', tokenHash)
      .where('revokedAt', 'is', null),
);

/** Finds the operator with this token, unless it is revoked. Runs on every operator request. */
export function findActiveOperator(
  tx: WriteTransaction,
  tokenHash: Buffer,
  recordUseBefore: Date,
): Promise<ActiveOperator | null> {
  return tx.first(FIND_ACTIVE, { tokenHash, recordUseBefore });
}

export async function recordOperatorUse(tx: WriteTransaction, id: string, now: Date): Promise<void> {
  await tx.em.nativeUpdate(OperatorTable, { id }, { lastUsedAt: now });
}

/** Active ones first, then newest first. */
export function listOperators(tx: WriteTransaction): Promise<Operator[]> {
  return tx.em.find(OperatorTable, {}, { orderBy: [{ revokedAt: 'desc nulls first' }, { createdAt: 'desc' }] });
}

/** Returns active operators for a change. No other transaction can create, rotate or revoke one until this one ends. */
export async function lockActiveOperators(tx: WriteTransaction): Promise<Operator[]> {
  await lock(tx, 'operators');
  return tx.em.find(OperatorTable, { revokedAt: null });
}

export async function endOperator(tx: WriteTransaction, id: string, now: Date): Promise<void> {
  await tx.em.nativeUpdate(OperatorTable, { id }, { revokedAt: now });
}
