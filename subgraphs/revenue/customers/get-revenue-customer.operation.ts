/** Returns a customer of the processor with its end user. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { RevenueCustomer } from '../resolvers.generated.ts';
import { findCustomer } from './customer.table.ts';
import { toCustomerView } from './customer-view.ts';

/** Returns null if no sync has seen it. */
export async function getRevenueCustomer(context: SubgraphContext, id: string): Promise<RevenueCustomer | null> {
  if (id.includes('\0')) return null;
  const organizationId = organizationOf(context);
  const row = await context.database.find(organizationId, (tx) => findCustomer(tx, organizationId, id));
  return row === null ? null : toCustomerView(organizationId, row);
}
