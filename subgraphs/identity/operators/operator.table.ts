/** Operators: whoever runs the service. They belong to no organization; a token opens every one. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const OperatorTable = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'operator_token_hash_unique', properties: ['tokenHash'] }],
});

export type Operator = InferEntity<typeof OperatorTable>;

export async function findOperatorId(em: EntityManager, tokenHash: Buffer): Promise<string | null> {
  const [row] = await query<{ id: string }>(em, 'select id from operator where token_hash = $1', [tokenHash]);
  return row?.id ?? null;
}
