/** Returns the time until which months are closed. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Closing } from '../resolvers.generated.ts';
import { findClosedUntil } from './cost-closing.table.ts';

export async function getCostClosing(context: SubgraphContext): Promise<Closing> {
  const organizationId = organizationOf(context);
  return { closedUntil: await context.database.snapshot(organizationId, (tx) => findClosedUntil(tx, organizationId)) };
}
