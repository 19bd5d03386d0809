/** What may be seen of an operator's token: its hash stays here. */
import type { Operator } from '../data/operator.ts';

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
