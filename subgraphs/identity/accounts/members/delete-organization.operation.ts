/** Deletes an organization: its credentials stop working at once, then its remaining data is deleted. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import {
  checkDeletion,
  deleteOrganizationRows,
  type DeletedRows,
  type DeletionRequest,
} from '#platform/subgraph/delete-organization-rows.ts';
import { proveOwnPassword, requireOwnPassword } from './manage-account-user.step.ts';
import { requireRecentSignIn } from '../../sessions/require-step-up.step.ts';
import { markOrganizationDeleted } from '../mark-organization-deleted.step.ts';

/**
 * Includes its sample data. The row stays, without a name: the id is never reused, and other subgraphs can be told to
 * delete their data.
 */
export async function deleteOrganization(
  context: SubgraphContext,
  { ownPassword, ...request }: DeletionRequest & { readonly ownPassword?: string | null | undefined },
): Promise<DeletedRows> {
  const organizationId = checkDeletion(context, request);
  const proof = await proveOwnPassword(context, ownPassword ?? null);
  return context.database.system(async (tx) => {
    if (context.principal.kind === 'session') await requireRecentSignIn(tx, context, 'deleting an organization');
    requireOwnPassword(proof);
    await markOrganizationDeleted(tx, context, organizationId);
    // Keys, sessions and accounts are few: they are deleted in the transaction that marks the organization, so none
    // outlives it.
    const credentials = await deleteOrganizationRows(tx, organizationId, Number.MAX_SAFE_INTEGER, [
      'organization',
      'audit_record',
    ]);
    const log = await deleteOrganizationRows(tx, organizationId, request.limit, ['organization']);
    return { rows: credentials.rows + log.rows, isFinished: log.isFinished };
  });
}
