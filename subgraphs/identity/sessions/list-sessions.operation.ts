/** Lists the caller's open sessions, newest first. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { SESSION_IDLE_SECONDS } from '../config.ts';
import { listActiveSessions, type Session } from './session.table.ts';
import { earlier } from '#kernel/time/duration.ts';
import { sessionCaller } from './session-caller.ts';

export async function listSessions(context: SubgraphContext): Promise<(Session & { current: boolean })[]> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const time = now();
  const sessions = await context.database.write(organizationId, (tx) =>
    listActiveSessions(tx, organizationId, accountUserId, time, earlier(time, SESSION_IDLE_SECONDS)),
  );
  return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
}
