/** Books a part of a difference as a cost without a customer. */
import { money } from '#kernel/money.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { bookAdjustment } from '../books/adjustments.step.ts';
import type { ComparedDay } from '../days/compare-days.step.ts';
import { type StoredFix, withdrawFix } from '../decisions/bill-fix.table.ts';

/** The stored fix of an earlier request that was interrupted before its amount was booked. */
export function unbookedFix(
  { fixes, adjustments }: ComparedDay,
  { lastDay, model, unit, cause }: Pick<StoredFix, 'lastDay' | 'model' | 'unit' | 'cause'>,
): StoredFix | null {
  const isSame = (fix: StoredFix) =>
    fix.lastDay === lastDay && fix.model === model && fix.unit === unit && fix.cause === cause;
  return fixes.find((fix) => fix.kind === 'ADJUST' && isSame(fix) && !adjustments.has(fix.id)) ?? null;
}

/** If the amount cannot be booked, the fix is withdrawn. */
export async function adjustBooks(
  context: SubgraphContext,
  gateway: GatewayClient,
  { providers, connection }: ComparedDay,
  { id, day, model, amount, note }: Pick<StoredFix, 'id' | 'day' | 'model' | 'amount' | 'note'>,
): Promise<void> {
  const provider = providers.get(model ?? '') ?? connection.source.split('.', 1)[0] ?? connection.source;
  try {
    await bookAdjustment(context.principal, gateway, { id, day, provider, model, amount: money(amount ?? '0'), note });
  } catch (error) {
    const organizationId = organizationOf(context);
    await context.database.write(organizationId, (tx) => withdrawFix(tx, { organizationId, id }));
    throw error;
  }
}
