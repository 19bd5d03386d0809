/** Lists the organization's bill connections, by creation time. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { BillConnection } from '../resolvers.generated.ts';
import { listConnections } from './bill-connection.table.ts';
import { toBillConnectionView } from './bill-connection-view.ts';
import { listLastPulls } from './last-pull.query.ts';

export async function listBillConnections(context: SubgraphContext): Promise<BillConnection[]> {
  const organizationId = organizationOf(context);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const last = new Map((await listLastPulls(tx, organizationId)).map((pull) => [pull.connectionId, pull]));
    return (await listConnections(tx, organizationId)).map((connection) =>
      toBillConnectionView(connection, last.get(connection.id) ?? null),
    );
  });
}
