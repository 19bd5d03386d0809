/** Ends one session or all sessions of an account user. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { endAllSessions } from './end-access.step.ts';
import { manageAccountUser } from './manage-account-user.step.ts';
import { endSession } from '../../sessions/session.table.ts';
import { isUuid } from '#kernel/uuid.ts';

/** Returns how many were open. */
export function endAccountUserSessions(
  context: SubgraphContext,
  id: string,
  sessionId: string | null,
  ownPassword: string | null = null,
): Promise<number> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email }, at) => {
    const ended =
      sessionId === null
        ? await endAllSessions(tx, organizationId, id, at)
        : Number(isUuid(sessionId) && (await endSession(tx, organizationId, id, sessionId, at)));
    if (ended > 0) {
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'account_user.sessions_ended',
        ...actorOf(context.principal),
        subjectId: id,
        detail: `${email}: ${ended}`,
      });
    }
    return ended;
  });
}
