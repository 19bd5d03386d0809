/** Lists the processor's customers with their end users. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { customerPage } from './customer.table.ts';
import type { RevenueCustomer } from '../resolvers.generated.ts';
import { pageOf } from './page-size.ts';
import { toCustomerView } from './customer-view.ts';

export async function listRevenueCustomers(
  context: SubgraphContext,
  page: { limit: number; offset: number; unmapped: boolean },
): Promise<RevenueCustomer[]> {
  const organizationId = organizationOf(context);
  const choice = { ...pageOf(page), unmapped: page.unmapped };
  const rows = await context.database.readOnce(organizationId, (tx) => customerPage(tx, organizationId, choice));
  return rows.map((row) => toCustomerView(organizationId, row));
}
