/** Disconnects the account: deletes the key and stops the sync. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { holdConnection, type PaymentConnection, saveConnection } from './payment-connection.table.ts';
import { forgetFees } from '../records/charge.table.ts';
import { forgetInvoices } from '../records/invoice.table.ts';
import { withdrawAllRecords } from '../records/revenue-record.table.ts';
import { clearAllSetAside } from '../set-aside/set-aside-object.table.ts';
import { forgetCursors } from '../sync/runs/sync-cursor.table.ts';
import { abandonRuns } from '../sync/runs/sync-run.table.ts';
import { type ConnectionView, toConnectionView } from './connection-view.ts';

/**
 * With `withdrawRecords`, appends a reversal of every live record, so that an account connected by mistake leaves no
 * revenue.
 */
export async function disconnectRevenue(context: SubgraphContext, withdrawRecords: boolean): Promise<ConnectionView> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const connection =
      (await holdConnection(tx, organizationId)) ??
      fail('NOT_FOUND', 'No payment-processor account was ever connected');
    const at = now();
    const isCut = connection.status === 'disconnected';
    const cut: PaymentConnection = isCut
      ? connection
      : {
          ...connection,
          status: 'disconnected',
          sealedKey: null,
          disconnectedAt: at,
          leaseOwner: null,
          leaseUntil: null,
          lastError: null,
          lastErrorAt: null,
        };
    const saved = await saveConnection(tx, cut);
    await abandonRuns(tx, organizationId, at);
    await forgetCursors(tx, organizationId);
    if (withdrawRecords) {
      await withdrawAllRecords(tx, organizationId, at);
      await clearAllSetAside(tx, organizationId);
      await forgetInvoices(tx, organizationId);
      await forgetFees(tx, organizationId);
    }
    if (!isCut || withdrawRecords)
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'connection.disconnected',
        ...actorOf(context.principal),
        subjectId: connection.id,
        detail: withdrawRecords ? 'records withdrawn' : null,
      });
    return toConnectionView(saved);
  });
}
