/** Operators: those who run the service, each by a named token. They belong to no organization; a token opens every one. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const OperatorTable = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  properties: {
    id: p.uuid().primary(),
    /** Of the tokens that are not revoked, one has it. */
    name: p.text(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
    /** The operator who made or rotated it; null: the first start. */
    createdBy: p.uuid().nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'operator_token_hash_unique', properties: ['tokenHash'] }],
});

export type Operator = InferEntity<typeof OperatorTable>;

export interface ActiveOperator {
  readonly id: string;
  readonly name: string;
  readonly isUseUnrecorded: boolean;
}

/** The operator with this token unless it is revoked. Asked on every request of one. */
export async function findActiveOperator(
  em: EntityManager,
  tokenHash: Buffer,
  recordUseBefore: Date,
): Promise<ActiveOperator | null> {
  const [row] = await query<ActiveOperator>(
    em,
    `
    select id, name, coalesce(last_used_at < $2, true) as is_use_unrecorded from operator where token_hash = $1 and revoked_at is null`,
    [tokenHash, recordUseBefore],
  );
  return row ?? null;
}

export async function recordOperatorUse(em: EntityManager, id: string, now: Date): Promise<void> {
  await query(em, 'update operator set last_used_at = $2 where id = $1', [id, now]);
}

/** Active ones first, then the newest. */
export function listOperators(em: EntityManager): Promise<Operator[]> {
  return em.find(OperatorTable, {}, { orderBy: [{ revokedAt: 'desc nulls first' }, { createdAt: 'desc' }] });
}

/** Those that are not revoked, to be changed: no one else makes, rotates or revokes one until the transaction ends. */
export async function lockActiveOperators(em: EntityManager): Promise<Operator[]> {
  await query(em, 'select pg_advisory_xact_lock(727004)');
  return em.find(OperatorTable, { revokedAt: null });
}

export async function endOperator(em: EntityManager, id: string, now: Date): Promise<void> {
  await em.nativeUpdate(OperatorTable, { id }, { revokedAt: now });
}
