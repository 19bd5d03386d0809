/**
 * Changes the caller's own password, ends all other sessions of the account user and gives the current one a new
 * token.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { replacePassword } from '../../accounts/account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { renewSession } from '../renew-session.step.ts';
import { checkOwnPassword } from '../require-step-up.step.ts';
import { endOtherSessions } from '../session.table.ts';
import { checkPassword } from '../../accounts/check-account.ts';
import { hashPassword } from '../../secrets/hash-password.ts';
import { parseRfc3339 } from '#kernel/time/instant.ts';
import { sessionCaller } from '../session-caller.ts';
import { revokeRecentKeys } from './revoke-recent-keys.step.ts';
import { deleteAttemptsOf } from './sign-in-attempt.table.ts';

const WRONG = 'The current password is wrong';

/**
 * Replaces only the password that was checked, so that only one of two concurrent changes succeeds. `revokeKeysSince`
 * revokes API keys and devices that the caller created from then on; null revokes none.
 */
export async function changePassword(
  context: SubgraphContext,
  password: string,
  newPassword: string,
  revokeKeysSince: string | null = null,
): Promise<{ token: string; expiresAt: Date }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  checkPassword('newPassword', newPassword);
  const since = revokeKeysSince === null ? null : readInstant(revokeKeysSince);
  const account = await checkOwnPassword(context, password, { message: WRONG, field: 'password' });
  checkPassword('newPassword', newPassword, account.email);
  const passwordHash = await hashPassword(newPassword, randomBytes(16));
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    if (!(await replacePassword(tx, account, passwordHash))) return fail('VALIDATION_ERROR', WRONG);
    await deleteAttemptsOf(tx, organizationId, accountUserId);
    await endOtherSessions(tx, organizationId, accountUserId, sessionId, at);
    if (since !== null) await revokeRecentKeys(tx, context.principal, { organizationId, accountUserId }, since, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.password_changed',
      ...actorOf(context.principal),
      subjectId: accountUserId,
    });
    return renewSession(tx, organizationId, sessionId);
  });
}

function readInstant(text: string): Date {
  const instant =
    parseRfc3339(text) ??
    fail('VALIDATION_ERROR', 'revokeKeysSince must be an RFC 3339 date-time', { field: 'revokeKeysSince' });
  return new Date(instant.epochMs);
}
