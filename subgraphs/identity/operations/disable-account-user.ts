/** Keeps an account user out: sessions end and keys are revoked in the same moment. */
import { actorOf } from '../../../platform/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { setDisabledAt } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { endAccess, type EndedAccess } from '../data/end-access.ts';
import { manageAccountUser, requireOwner } from '../data/manage-account-user.ts';

/** Says how much was ended; safe to repeat. */
export function disableAccountUser(context: SubgraphContext, id: string): Promise<EndedAccess> {
  return manageAccountUser(context, id, async (em, { organizationId, email, disabledAt }, at) => {
    if (disabledAt == null) await setDisabledAt(em, organizationId, id, at);
    await requireOwner(em, organizationId);
    const ended = await endAccess(em, organizationId, id, at);
    if (disabledAt == null) await recordAct(em, { organizationId, at, act: 'account_user.disabled', ...actorOf(context.principal), subjectId: id, detail: email });
    return ended;
  });
}
