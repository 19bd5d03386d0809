/** Lists the open sessions of an account user whom the caller may manage, newest first. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { SESSION_IDLE_SECONDS } from '../../config.ts';
import { findAccountUser } from '../account-user.table.ts';
import { listActiveSessions, type Session } from '../../sessions/session.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { earlier } from '#kernel/time/duration.ts';
import { mayManage } from './may-manage.ts';

/** Fails with `NOT_FOUND` for an account user whom the caller may not manage, unless it is the caller. */
export async function listAccountUserSessions(
  context: SubgraphContext,
  id: string,
): Promise<(Session & { current: boolean })[]> {
  const organizationId = organizationOf(context);
  const { accountUserId, credentialId } = context.principal;
  const at = now();
  return context.database.write(organizationId, async (tx) => {
    const user = isUuid(id) ? await findAccountUser(tx, organizationId, id) : null;
    if (!user || (user.id !== accountUserId && !mayManage(context.principal, user.role)))
      return fail('NOT_FOUND', 'There is no such account user');
    const sessions = await listActiveSessions(tx, organizationId, user.id, at, earlier(at, SESSION_IDLE_SECONDS));
    return sessions.map((session) => ({ ...session, current: session.id === credentialId }));
  });
}
