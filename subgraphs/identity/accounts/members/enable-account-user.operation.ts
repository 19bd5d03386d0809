/** Lets a disabled account user sign in again. Ended sessions and revoked keys are not restored. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { setDisabledAt } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { manageAccountUser } from './manage-account-user.step.ts';

/** Returns whether it was disabled. */
export function enableAccountUser(
  context: SubgraphContext,
  id: string,
  ownPassword: string | null = null,
): Promise<boolean> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email, disabledAt }, at) => {
    if (disabledAt == null) return false;
    await setDisabledAt(tx, organizationId, id, null);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.enabled',
      ...actorOf(context.principal),
      subjectId: id,
      detail: email,
    });
    return true;
  });
}
