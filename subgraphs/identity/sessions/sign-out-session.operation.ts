/** Ends one of the caller's sessions; the current one if none is given. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { endSession } from './session.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { sessionCaller } from './session-caller.ts';

/** Returns whether it was open; false for someone else's session. */
export async function signOutSession(context: SubgraphContext, id: string | null): Promise<boolean> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subjectId = id ?? sessionId;
  if (!isUuid(subjectId)) return false;
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const wasOpen = await endSession(tx, organizationId, accountUserId, subjectId, at);
    if (wasOpen)
      await recordAudit(tx, { organizationId, at, action: 'session.ended', ...actorOf(context.principal), subjectId });
    return wasOpen;
  });
}
