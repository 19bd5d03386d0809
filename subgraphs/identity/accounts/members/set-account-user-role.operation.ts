/**
 * Changes an account user's role, from the next request on, including in open sessions. Revokes items that the account user
 * issued and may no longer issue.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { setRole } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { manageAccountUser, requireOwner } from './manage-account-user.step.ts';
import { type IssuedByOptions, revokeIssued, type RevokedIssued } from './revoke-issued.step.ts';
import { checkRole } from '../role.ts';

/** Returns what was revoked; null if it already had this role. The last owner keeps the role. */
export async function setAccountUserRole(
  context: SubgraphContext,
  id: string,
  input: string,
  ownPassword: string | null = null,
  options: IssuedByOptions = {},
): Promise<RevokedIssued | null> {
  const role = checkRole(input);
  return manageAccountUser(
    context,
    id,
    { ownPassword, role },
    async (tx, { organizationId, email, role: before }, at) => {
      if (role === before) return null;
      await setRole(tx, organizationId, id, role);
      await requireOwner(tx, organizationId);
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'account_user.role_changed',
        ...actorOf(context.principal),
        subjectId: id,
        detail: `${email}: ${before} to ${role}`,
      });
      return revokeIssued(tx, context.principal, { organizationId, accountUserId: id, role }, options, at);
    },
  );
}
