/** The public fields of an operator token, without its hash. */
import type { Operator } from './operator.table.ts';

export type OperatorTokenView = ReturnType<typeof toOperatorToken>;

export function toOperatorToken({ id, name, createdAt, createdBy, lastUsedAt, revokedAt }: Operator) {
  return {
    id,
    name,
    createdAt,
    createdBy: createdBy ?? null,
    lastUsedAt: lastUsedAt ?? null,
    revokedAt: revokedAt ?? null,
  };
}
