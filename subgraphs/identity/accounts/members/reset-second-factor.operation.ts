/**
 * Removes the second factor and all passkeys of an account whose user has lost them. The password then suffices to
 * sign in, and new factors can be set up.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { endAllSessions } from './end-access.step.ts';
import { manageAccountUser } from './manage-account-user.step.ts';
import { deletePasskeysOf } from '../../sessions/second-factors/passkey.table.ts';
import { deleteRecoveryCodes } from '../../sessions/second-factors/recovery-code.table.ts';
import { deleteSecondFactor, findSecondFactor } from '../../sessions/second-factors/second-factor.table.ts';

/** Returns whether there was one. Ends its sessions: whoever has the lost phone may also have them. */
export function resetSecondFactor(
  context: SubgraphContext,
  id: string,
  ownPassword: string | null = null,
): Promise<boolean> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email }, at) => {
    const factor = await findSecondFactor(tx, organizationId, id);
    await deleteRecoveryCodes(tx, organizationId, id);
    await deleteSecondFactor(tx, organizationId, id);
    const passkeys = await deletePasskeysOf(tx, organizationId, id);
    if (factor?.confirmedAt == null && passkeys === 0) return false;
    await endAllSessions(tx, organizationId, id, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'second_factor.reset',
      ...actorOf(context.principal),
      subjectId: id,
      detail: email,
    });
    return true;
  });
}
