/** Lists differences between bills and books, by day and model. */
import { type Connection, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { DIFFERENCES_PER_PAGE_MAX } from '../config.ts';
import type { BillDifference, QueryBillDifferencesArgs } from '../resolvers.generated.ts';
import { hasUnexplained, toDifferenceView } from './bill-day-view.ts';
import { compareDays } from './compare-days.step.ts';
import { requestedDays } from './requested-days.ts';

/** Earliest day first; models without a difference are left out. Fails with `VALIDATION_ERROR`. */
export async function listBillDifferences(
  context: SubgraphContext,
  gateway: GatewayClient,
  { filter, first, after }: QueryBillDifferencesArgs & { readonly first: number },
): Promise<Connection<BillDifference>> {
  const organizationId = organizationOf(context);
  const page = parsePage({ first, after }, DIFFERENCES_PER_PAGE_MAX);
  const days = await compareDays(context, gateway, organizationId, requestedDays(filter), filter.connectionId ?? null);
  const found = days
    .flatMap((day) => day.differences.map((difference) => toDifferenceView(day, difference)))
    .filter((view) => view.difference !== '0' || view.causes.length > 0)
    .filter(({ model }) => filter.model === undefined || filter.model === null || model === filter.model)
    .filter(({ causes }) => typeof filter.cause !== 'string' || causes.some(({ cause }) => cause === filter.cause))
    .filter((view) => filter.isUnexplained !== true || hasUnexplained(view));
  return toConnection(pageOf(found, page), found.length, page);
}
