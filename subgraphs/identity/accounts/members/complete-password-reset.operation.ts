/** Sets a new password by a reset link. A second factor stays on: the link does not bypass it. */
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { setPassword } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { endAllSessions } from './end-access.step.ts';
import { claimReset, findOpenReset } from './password-reset.table.ts';
import { checkPassword } from '../check-account.ts';
import { hashPassword } from '../../secrets/hash-password.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { storableText } from '../../sessions/storable-text.ts';

/**
 * Ends all sessions of the account. Fails with `NOT_FOUND` for a link that no longer works, and with
 * `VALIDATION_ERROR` for a rejected password, leaving the link valid. Only one of several concurrent requests
 * succeeds.
 */
export async function completePasswordReset(
  context: SubgraphContext,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<true> {
  const { database } = context;
  if (!hasSecretTokenFormat(token)) return notFound();
  const tokenHash = hashSecretToken(token);
  const { email } = (await database.system((tx) => findOpenReset(tx, tokenHash, now()))) ?? notFound();
  const passwordHash = await hashPassword(checkPassword('password', password, email), randomBytes(16));
  return database.system(async (tx) => {
    const at = now();
    const claimed = await claimReset(tx, tokenHash, at);
    if (!claimed) return notFound();
    const { organizationId, accountUserId } = claimed;
    await setPassword(tx, organizationId, accountUserId, passwordHash);
    await endAllSessions(tx, organizationId, accountUserId, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.password_reset',
      actorKind: 'anonymous',
      accountUserId,
      subjectId: accountUserId,
      detail: storableText(address),
    });
    return true as const;
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This link was already used, has expired, or was revoked');
}
