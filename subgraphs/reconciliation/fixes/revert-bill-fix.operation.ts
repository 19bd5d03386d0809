/** Reverts a fix: the difference is shown again, the scope is tracked again, or the rate or the discount ends and its period is repriced. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { revertAdjustment } from '../books/adjustments.step.ts';
import { holdConnection, saveConnection } from '../connections/bill-connection.table.ts';
import { toFixView } from '../days/bill-day-view.ts';
import type { BillFix } from '../resolvers.generated.ts';
import { findFix, revertFix } from '../decisions/bill-fix.table.ts';
import { undoRepair } from './repair-books.step.ts';

/** Fails with `NOT_FOUND` if it does not exist or was already reverted. */
export async function revertBillFix(
  context: SubgraphContext,
  gateway: GatewayClient,
  { id }: { readonly id: string },
): Promise<BillFix> {
  const organizationId = organizationOf(context);
  const known = isUuid(id)
    ? await context.database.snapshot(organizationId, (tx) => findFix(tx, { organizationId, id }))
    : null;
  if (known === null || known.revertedAt !== null) return fail('NOT_FOUND', 'id: fix not found, or already reverted');
  if (known.kind === 'ADJUST') await revertAdjustment(context.principal, gateway, id);
  else await undoRepair(context.principal, gateway, known);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const fix = await revertFix(tx, { organizationId, id, at });
    if (fix === null) return fail('NOT_FOUND', 'id: fix not found, or already reverted');
    if (fix.kind === 'UNTRACK') {
      const connection = await holdConnection(tx, organizationId, fix.connectionId);
      const untrackedScopes = connection?.untrackedScopes.filter((scope) => scope !== fix.scope) ?? [];
      if (connection !== null) await saveConnection(tx, { ...connection, untrackedScopes, updatedAt: at });
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'bill_fix.reverted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${fix.kind.toLowerCase()}: ${fix.day}`,
    });
    return toFixView(fix);
  });
}
