/** After a step up the session goes on under a token that no one had before: a copy of its cookie is dead. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { randomBytes } from '../../../platform/random.ts';
import { fail } from '../../../schema/errors.ts';
import { hashSecretToken, makeSecretToken } from '../secrets/secret-token.ts';
import { replaceToken } from './session.table.ts';

/** `token` leaves once; the session ends when it would have ended. Fails with `UNAUTHORIZED` when it has ended already. */
export async function renewSession(
  em: EntityManager,
  organizationId: string,
  sessionId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = makeSecretToken(randomBytes(32));
  const expiresAt = await replaceToken(em, organizationId, sessionId, hashSecretToken(token));
  return expiresAt === null ? fail('UNAUTHORIZED', 'The session has ended: sign in again') : { token, expiresAt };
}
