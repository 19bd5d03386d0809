/** Lists the saved views that the caller sees. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SavedView } from '../resolvers.generated.ts';
import { listVisibleViews } from './saved-view.table.ts';
import { toSavedView } from './saved-view.ts';

/** Saved views, oldest first. An API key sees only the views that everybody sees. */
export async function listSavedViews(context: SubgraphContext): Promise<SavedView[]> {
  const organizationId = organizationOf(context);
  const { kind, accountUserId } = context.principal;
  const views = await context.database.entitySnapshot(organizationId, (tx) =>
    listVisibleViews(tx, organizationId, kind === 'session' ? accountUserId : null),
  );
  return views.map(toSavedView);
}
