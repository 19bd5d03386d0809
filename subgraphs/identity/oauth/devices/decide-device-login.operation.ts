/** Approves or denies a device login. The key is created when the device polls for it. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { decideDeviceLogin as decide } from './device-login.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { requireRoomForKey } from '../../keys/require-room-for-key.step.ts';
import { requireRecentSignIn } from '../../sessions/require-step-up.step.ts';
import { sessionCaller } from '../../sessions/session-caller.ts';
import { type DeviceLoginView, toDeviceLoginView } from './device-login-view.ts';

/** Only the session that entered the code may decide, once; otherwise fails with `NOT_FOUND`. */
export async function decideDeviceLogin(
  context: SubgraphContext,
  id: string,
  decision: 'approved' | 'denied',
): Promise<DeviceLoginView> {
  const { organizationId, sessionId } = sessionCaller(context.principal);
  if (!isUuid(id)) return notFound();
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    if (decision === 'approved') {
      await requireRecentSignIn(tx, context, 'connecting a device');
      await requireRoomForKey(tx, organizationId, at);
    }
    const login = await decide(tx, organizationId, sessionId, id, decision, at);
    if (!login) return notFound();
    await recordAudit(tx, {
      organizationId,
      at,
      action: `device_login.${decision}`,
      ...actorOf(context.principal),
      subjectId: id,
      detail: login.machineName,
    });
    return toDeviceLoginView(login, null);
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This login was already decided, has expired, or belongs to another session');
}
