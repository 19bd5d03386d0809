/** Deletes a connection and its bills. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { BillConnection } from '../resolvers.generated.ts';
import { deleteConnection, holdConnection } from './bill-connection.table.ts';
import { toBillConnectionView } from './bill-connection-view.ts';
import { deleteBills } from './delete-bills.query.ts';

/** Fails with `NOT_FOUND`. */
export async function deleteBillConnection(context: SubgraphContext, { id }: { id: string }): Promise<BillConnection> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const connection = isUuid(id) ? await holdConnection(tx, organizationId, id) : null;
    if (connection === null) return fail('NOT_FOUND', 'id: bill connection not found');
    await deleteBills(tx, { organizationId, connectionId: id });
    await deleteConnection(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'bill_connection.deleted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: connection.name,
    });
    return toBillConnectionView(connection, null);
  });
}
