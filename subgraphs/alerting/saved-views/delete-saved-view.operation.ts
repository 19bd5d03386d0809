/** Deletes a saved view. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { SavedView } from '../resolvers.generated.ts';
import { deleteSavedViewRow, findSavedView } from './saved-view.table.ts';
import { toSavedView } from './saved-view.ts';

/** Roles that may delete what other people share. */
const MANAGERS = ['operator', 'owner', 'admin'];

/**
 * Returns the deleted view. Fails with `NOT_FOUND`, including for another person's own view, and with `FORBIDDEN` for a
 * view that someone else shares.
 */
export async function deleteSavedView(context: SubgraphContext, id: string): Promise<SavedView> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  return context.database.write(organizationId, async (tx) => {
    const view = isUuid(id) ? await findSavedView(tx, organizationId, id) : null;
    if (view === null || (view.onlyFor !== null && view.onlyFor !== principal.accountUserId))
      return fail('NOT_FOUND', 'id: saved view not found');
    const isOwn = view.savedBy !== null && view.savedBy === principal.accountUserId;
    if (!isOwn && !MANAGERS.some((role) => principal.grants.includes(role)))
      fail('FORBIDDEN', 'Only owners and admins can delete views that other people share');
    await deleteSavedViewRow(tx, organizationId, id);
    const deleted = {
      organizationId,
      at: now(),
      action: 'view.deleted',
      ...actorOf(principal),
      subjectId: id,
    } as const;
    await recordAudit(tx, deleted);
    return toSavedView(view);
  });
}
