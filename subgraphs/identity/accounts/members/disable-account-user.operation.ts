/**
 * Disables an account, ends its sessions, and revokes its keys and everything it issued to others, in one transaction.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { setDisabledAt } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { endAccess, type EndedAccess } from './end-access.step.ts';
import { manageAccountUser, requireOwner } from './manage-account-user.step.ts';
import type { IssuedByOptions } from './revoke-issued.step.ts';

/** Returns what was ended. Safe to repeat. */
export function disableAccountUser(
  context: SubgraphContext,
  id: string,
  ownPassword: string | null = null,
  options: IssuedByOptions = {},
): Promise<EndedAccess> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email, disabledAt }, at) => {
    if (disabledAt == null) await setDisabledAt(tx, organizationId, id, at);
    await requireOwner(tx, organizationId);
    const ended = await endAccess(tx, context.principal, { organizationId, accountUserId: id }, options, at);
    if (disabledAt == null)
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'account_user.disabled',
        ...actorOf(context.principal),
        subjectId: id,
        detail: email,
      });
    return ended;
  });
}
