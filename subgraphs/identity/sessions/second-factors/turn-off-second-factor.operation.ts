/** Turns the second factor off, ends all other sessions of the account user and gives the current one a new token. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { findAccountUser } from '../../accounts/account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { leaveSecondFactor } from './leave-second-factor.step.ts';
import { deleteSecondFactor, findSecondFactor } from './second-factor.table.ts';
import { renewSession } from '../renew-session.step.ts';
import { endOtherSessions } from '../session.table.ts';
import { takeCode } from './take-code.step.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { isPassword } from '../../secrets/hash-password.ts';
import { sessionCaller } from '../session-caller.ts';

/**
 * Requires password and code; the error does not reveal which one was wrong. Wrong ones are limited. Uses two
 * transactions: the attempt is counted permanently before the slow hash is computed.
 */
export async function turnOffSecondFactor(
  context: SubgraphContext,
  password: string,
  code: string,
  sealing: Sealing,
): Promise<{ token: string; expiresAt: Date }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subject = `second-factor:${sessionId}`;
  const { waitSeconds, account } = await context.database.write(organizationId, async (tx) => ({
    waitSeconds: await takeTurn(tx, subject, WRONG_ANSWERS_PER_SESSION, now()),
    account: await findAccountUser(tx, organizationId, accountUserId),
  }));
  if (waitSeconds > 0) failForNow(waitSeconds);
  if (!account || !(await isPassword(password, account.passwordHash))) return failAlike();
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const factor = await findSecondFactor(tx, organizationId, accountUserId);
    if (!factor?.confirmedAt || !(await takeCode(tx, factor, code, sealing, at))) return failAlike();
    await giveTryBack(tx, subject);
    await deleteSecondFactor(tx, organizationId, accountUserId);
    await leaveSecondFactor(tx, organizationId, accountUserId);
    await endOtherSessions(tx, organizationId, accountUserId, sessionId, at);
    await recordAudit(tx, { organizationId, at, action: 'second_factor.turned_off', ...actorOf(context.principal) });
    return renewSession(tx, organizationId, sessionId);
  });
}

function failAlike(): never {
  return fail('VALIDATION_ERROR', 'The password or the code is wrong, or the second factor is off');
}
