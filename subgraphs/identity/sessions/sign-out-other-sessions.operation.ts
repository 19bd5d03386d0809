/** Ends all of the caller's sessions except the current one. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { endOtherSessions } from './session.table.ts';
import { sessionCaller } from './session-caller.ts';

/** Returns their number. */
export async function signOutOtherSessions(context: SubgraphContext): Promise<number> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const ended = await endOtherSessions(tx, organizationId, accountUserId, sessionId, at);
    if (ended > 0)
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'session.others_ended',
        ...actorOf(context.principal),
        subjectId: sessionId,
      });
    return ended;
  });
}
