/**
 * Removes an account user permanently. Its revoked keys and the audit log stay; its e-mail address can be used again.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { deleteAccountUser } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { endAccess, type EndedAccess } from './end-access.step.ts';
import { manageAccountUser, requireOwner } from './manage-account-user.step.ts';
import type { IssuedByOptions } from './revoke-issued.step.ts';
import { deletePasskeysOf } from '../../sessions/second-factors/passkey.table.ts';
import { deleteRecoveryCodes } from '../../sessions/second-factors/recovery-code.table.ts';
import { deleteSecondFactor } from '../../sessions/second-factors/second-factor.table.ts';

/** Returns what was ended. */
export function removeAccountUser(
  context: SubgraphContext,
  id: string,
  ownPassword: string | null = null,
  options: IssuedByOptions = {},
): Promise<EndedAccess> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email }, at) => {
    // The row is deleted first: a transaction that is about to issue something for the account user waits for it, then
    // finds no account.
    await deleteAccountUser(tx, organizationId, id);
    await requireOwner(tx, organizationId);
    const ended = await endAccess(tx, context.principal, { organizationId, accountUserId: id }, options, at);
    await deleteRecoveryCodes(tx, organizationId, id);
    await deleteSecondFactor(tx, organizationId, id);
    await deletePasskeysOf(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: email,
    });
    return ended;
  });
}
