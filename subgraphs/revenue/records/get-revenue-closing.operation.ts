/** Returns the end of the closed months. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Closing } from '../resolvers.generated.ts';
import { findClosedUntil } from './revenue-closing.table.ts';

export async function getRevenueClosing(context: SubgraphContext): Promise<Closing> {
  const organizationId = organizationOf(context);
  return {
    closedUntil: await context.database.find(organizationId, (tx) => findClosedUntil(tx, organizationId)),
  };
}
