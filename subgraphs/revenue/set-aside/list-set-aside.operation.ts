/** Lists the set-aside objects, newest first. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { pageOf } from '../customers/page-size.ts';
import type { SetAsideObject } from '../resolvers.generated.ts';
import { setAsidePage } from './set-aside-object.table.ts';
import { toSetAsideView } from './set-aside-view.ts';

export async function listSetAside(
  context: SubgraphContext,
  page: { limit: number; offset: number },
): Promise<SetAsideObject[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.readOnce(organizationId, (tx) => setAsidePage(tx, organizationId, pageOf(page)));
  return rows.map(toSetAsideView);
}
