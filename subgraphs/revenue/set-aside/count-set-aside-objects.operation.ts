/** Counts the set-aside objects. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { countSetAside } from './set-aside-object.table.ts';

export function countSetAsideObjects(context: SubgraphContext): Promise<number> {
  const organizationId = organizationOf(context);
  return context.database.find(organizationId, (tx) => countSetAside(tx, organizationId));
}
