/** Removes one of the caller's passkeys, ends all other sessions and gives the current one a new token. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { deletePasskey, findPasskeyOf } from '../second-factors/passkey.table.ts';
import { leaveSecondFactor } from '../second-factors/leave-second-factor.step.ts';
import { renewSession } from '../renew-session.step.ts';
import { checkOwnPassword, requireRecentSignIn } from '../require-step-up.step.ts';
import { endOtherSessions } from '../session.table.ts';
import { sessionCaller } from '../session-caller.ts';

/**
 * Requires the password and a sign-in within the last ten minutes, which required a second factor. Recovery codes are
 * deleted with the last factor.
 */
export async function removePasskey(
  context: SubgraphContext,
  id: string,
  password: string,
): Promise<{ token: string; expiresAt: Date }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  await checkOwnPassword(context, password, { message: 'The password is wrong', field: 'password' });
  return context.database.write(organizationId, async (tx) => {
    await requireRecentSignIn(tx, context, 'removing a passkey');
    const at = now();
    const passkey = isUuid(id) ? await findPasskeyOf(tx, organizationId, accountUserId, id) : null;
    if (!passkey || !(await deletePasskey(tx, passkey))) return fail('NOT_FOUND', 'There is no such passkey');
    await leaveSecondFactor(tx, organizationId, accountUserId);
    await endOtherSessions(tx, organizationId, accountUserId, sessionId, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'passkey.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: passkey.name,
    });
    return renewSession(tx, organizationId, sessionId);
  });
}
