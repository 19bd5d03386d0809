/** Revokes an invitation: its link no longer works. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { findInvitation, revokeInvitation as revoke } from './invitation.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { mayManage } from '../members/may-manage.ts';

/** Returns whether it was open. Fails with `NOT_FOUND` for an invitation that the caller could not have created. */
export async function revokeInvitation(context: SubgraphContext, id: string): Promise<boolean> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const invitation = isUuid(id) ? await findInvitation(tx, organizationId, id) : null;
    if (!invitation || !mayManage(context.principal, invitation.role))
      return fail('NOT_FOUND', 'There is no such invitation');
    if (!(await revoke(tx, organizationId, id, at))) return false;
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'invitation.revoked',
      ...actorOf(context.principal),
      subjectId: id,
      detail: invitation.email,
    });
    return true;
  });
}
