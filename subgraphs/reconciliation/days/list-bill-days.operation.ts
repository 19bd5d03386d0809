/** Compares the bills of a window with the books, day by day. */
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { BillDay, QueryBillDaysArgs } from '../resolvers.generated.ts';
import { compareDays } from './compare-days.step.ts';
import { requestedDays } from './requested-days.ts';
import { toBillDayView } from './bill-day-view.ts';

/** Fails with `VALIDATION_ERROR` for a window of more than 92 days. */
export async function listBillDays(
  context: SubgraphContext,
  gateway: GatewayClient,
  { start, end, connectionId }: QueryBillDaysArgs,
): Promise<BillDay[]> {
  const organizationId = organizationOf(context);
  const window = requestedDays({ start, end });
  const days = await compareDays(context, gateway, organizationId, window, connectionId ?? null);
  return days.map(toBillDayView);
}
