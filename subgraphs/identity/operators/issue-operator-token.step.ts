/** Creates an operator with a token, which cannot be recovered except from `token`. */
import { createHash } from 'node:crypto';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import { makeOperatorToken } from './operator-token.ts';
import { type Operator, OperatorTable } from './operator.table.ts';

/** `createdBy` null: the token of the first start. */
export async function issueOperatorToken(
  tx: WriteTransaction,
  params: { readonly name: string; readonly createdBy: string | null; readonly createdAt: Date },
): Promise<{ token: string; operator: Operator }> {
  const token = makeOperatorToken(randomBytes(32));
  const tokenHash = createHash('sha256').update(token).digest();
  const row = { ...params, id: randomUuid(), tokenHash, lastUsedAt: null, revokedAt: null };
  await tx.em.insert(OperatorTable, row);
  return { token, operator: row as unknown as Operator };
}
