/** Gives a session a new token after a step up, so that a copy of the old cookie stops working. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomBytes } from '#platform/random.ts';
import { fail } from '#kernel/errors.ts';
import { hashSecretToken, makeSecretToken } from '../secrets/secret-token.ts';
import { replaceToken } from './session.table.ts';

/**
 * `token` is returned only once; the session's expiry is unchanged. Fails with `UNAUTHORIZED` if it has already ended.
 */
export async function renewSession(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  sessionId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = makeSecretToken(randomBytes(32));
  const expiresAt = await replaceToken(tx, organizationId, sessionId, hashSecretToken(token));
  return expiresAt === null ? fail('UNAUTHORIZED', 'The session has ended: sign in again') : { token, expiresAt };
}
