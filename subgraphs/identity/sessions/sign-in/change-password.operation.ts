/** Changes the caller's own password and ends all other sessions of the account user. */
import { actorOf } from '../../../../platform/subgraph/audit-record.ts';
import { now } from '../../../../platform/clock.ts';
import { randomBytes } from '../../../../platform/random.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { fail } from '../../../../schema/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { findAccountUser, replacePassword } from '../../accounts/account-user.table.ts';
import { recordAct } from '../../audit-log/audit-record.table.ts';
import { endOtherSessions } from '../session.table.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { checkPassword } from '../../accounts/check-account.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { hashPassword, isPassword } from '../../secrets/hash-password.ts';
import { sessionCaller } from '../session-caller.ts';

/**
 * Wrong present passwords are limited. Two transactions: the try is counted for good before the slow hashes are computed,
 * and the second replaces only the password that was checked.
 */
export async function changePassword(context: SubgraphContext, password: string, newPassword: string): Promise<true> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  checkPassword(newPassword);
  const subject = `password:${sessionId}`;
  const { waitSeconds, account } = await context.database.forOrganization(organizationId, async (em) => ({
    waitSeconds: await takeTurn(em, subject, WRONG_ANSWERS_PER_SESSION, now()),
    account: await findAccountUser(em, organizationId, accountUserId),
  }));
  if (waitSeconds > 0) failForNow(waitSeconds);
  if (!account || !await isPassword(password, account.passwordHash)) return failAsWrong();
  const passwordHash = await hashPassword(newPassword, randomBytes(16));
  return context.database.forOrganization(organizationId, async (em) => {
    const at = now();
    if (!await replacePassword(em, account, passwordHash)) return failAsWrong();
    await giveTryBack(em, subject);
    await endOtherSessions(em, organizationId, accountUserId, sessionId, at);
    await recordAct(em, { organizationId, at, act: 'account_user.password_changed', ...actorOf(context.principal), subjectId: accountUserId });
    return true as const;
  });
}

function failAsWrong(): never {
  return fail('VALIDATION_ERROR', 'The present password is wrong');
}
