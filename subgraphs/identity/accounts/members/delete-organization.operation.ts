/** Deletes an organization: at once no credential of it opens anything, then what is left of it goes. */
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import {
  checkDeletion,
  deleteOrganizationRows,
  type DeletedRows,
  type DeletionRequest,
} from '../../../../platform/subgraph/delete-organization-rows.ts';
import { proveOwnPassword, requireOwnPassword } from './manage-account-user.step.ts';
import { requireRecentSignIn } from '../../sessions/require-step-up.step.ts';
import { markOrganizationDeleted } from '../mark-organization-deleted.step.ts';

/** Its sample data goes with it. Its row stays without a name: the id is never used again, and the other subgraphs can be asked to delete theirs. */
export async function deleteOrganization(
  context: SubgraphContext,
  { ownPassword, ...request }: DeletionRequest & { readonly ownPassword?: string | null | undefined },
): Promise<DeletedRows> {
  const organizationId = checkDeletion(context, request);
  const proof = await proveOwnPassword(context, ownPassword ?? null);
  return context.database.acrossOrganizations(async (em) => {
    if (context.principal.kind === 'session') await requireRecentSignIn(em, context, 'an organization is deleted');
    requireOwnPassword(proof);
    await markOrganizationDeleted(em, context, organizationId);
    // Keys, sessions and accounts are few: all in the transaction that marks, so that none outlives it.
    const credentials = await deleteOrganizationRows(em, organizationId, Number.MAX_SAFE_INTEGER, [
      'organization',
      'audit_record',
    ]);
    const log = await deleteOrganizationRows(em, organizationId, request.limit, ['organization']);
    return { rows: credentials.rows + log.rows, isFinished: log.isFinished };
  });
}
