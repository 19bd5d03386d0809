/** Sets after how many hours a day of a connection's bills counts as final. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { SETTLE_HOURS_MAX } from '../config.ts';
import type { BillConnection, BillConnectionUpdateInput } from '../resolvers.generated.ts';
import { holdConnection, saveConnection } from './bill-connection.table.ts';
import { toBillConnectionView } from './bill-connection-view.ts';
import { findLastPull } from './last-pull.query.ts';

/** Fails with `NOT_FOUND` and `VALIDATION_ERROR`. */
export async function updateBillConnection(
  context: SubgraphContext,
  { id, settleHours }: BillConnectionUpdateInput,
): Promise<BillConnection> {
  const organizationId = organizationOf(context);
  if (settleHours < 0 || settleHours > SETTLE_HOURS_MAX)
    fail('VALIDATION_ERROR', `settleHours must be from 0 to ${SETTLE_HOURS_MAX}`);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const known = isUuid(id) ? await holdConnection(tx, organizationId, id) : null;
    if (known === null) return fail('NOT_FOUND', 'id: bill connection not found');
    const connection = { ...known, settleHours, updatedAt: at };
    await saveConnection(tx, connection);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'bill_connection.changed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${known.name}: final after ${settleHours} hours instead of ${known.settleHours}`,
    });
    return toBillConnectionView(connection, await findLastPull(tx, organizationId, id));
  });
}
