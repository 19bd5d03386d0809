/** Lets a disabled account user sign in again. What was ended stays ended. */
import { actorOf } from '../../../platform/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { setDisabledAt } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { manageAccountUser } from '../data/manage-account-user.ts';

/** Says whether it was disabled. */
export function enableAccountUser(context: SubgraphContext, id: string): Promise<boolean> {
  return manageAccountUser(context, id, async (em, { organizationId, email, disabledAt }, at) => {
    if (disabledAt == null) return false;
    await setDisabledAt(em, organizationId, id, null);
    await recordAct(em, { organizationId, at, act: 'account_user.enabled', ...actorOf(context.principal), subjectId: id, detail: email });
    return true;
  });
}
