/** Gives an account user another role. It counts from the next request on, also of sessions that are open. */
import { actorOf } from '../../../platform/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { setRole } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { manageAccountUser, requireOwner } from '../data/manage-account-user.ts';
import { checkRole } from '../rules/check-role.ts';

/** Says whether it had another one before. The last owner stays one. */
export async function setAccountUserRole(context: SubgraphContext, id: string, given: string): Promise<boolean> {
  const role = checkRole(given);
  return manageAccountUser(context, id, async (em, { organizationId, email, role: before }, at) => {
    if (role === before) return false;
    await setRole(em, organizationId, id, role);
    await requireOwner(em, organizationId);
    await recordAct(em, { organizationId, at, act: 'account_user.role_changed', ...actorOf(context.principal), subjectId: id, detail: `${email}: ${before} to ${role}` });
    return true;
  });
}
