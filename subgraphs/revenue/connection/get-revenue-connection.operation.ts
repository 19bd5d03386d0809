/** Returns the organization's connection and the state of its sync; null if it never had one. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { connectionOf } from './payment-connection.table.ts';
import { type ConnectionView, toConnectionView } from './connection-view.ts';

export async function getRevenueConnection(context: SubgraphContext): Promise<ConnectionView | null> {
  const organizationId = organizationOf(context);
  const connection = await context.database.write(organizationId, (tx) => connectionOf(tx, organizationId));
  return connection === null ? null : toConnectionView(connection);
}
