/** Removes an account user for good. Its revoked keys and the audit log stay; its e-mail address is free again. */
import { actorOf } from '../../../platform/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { deleteAccountUser } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { endAccess, type EndedAccess } from '../data/end-access.ts';
import { manageAccountUser, requireOwner } from '../data/manage-account-user.ts';
import { deleteRecoveryCodes } from '../data/recovery-code.ts';
import { deleteSecondFactor } from '../data/second-factor.ts';

/** Says how much was ended. */
export function removeAccountUser(context: SubgraphContext, id: string): Promise<EndedAccess> {
  return manageAccountUser(context, id, async (em, { organizationId, email }, at) => {
    // First of all its row: whoever is about to issue something for it waits, and then finds nobody.
    await deleteAccountUser(em, organizationId, id);
    await requireOwner(em, organizationId);
    const ended = await endAccess(em, organizationId, id, at);
    await deleteRecoveryCodes(em, organizationId, id);
    await deleteSecondFactor(em, organizationId, id);
    await recordAct(em, { organizationId, at, act: 'account_user.removed', ...actorOf(context.principal), subjectId: id, detail: email });
    return ended;
  });
}
