/** Pages through the processor's customers with their end users. */
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { RevenueCustomer } from '../resolvers.generated.ts';
import { countListedCustomers, customerPage } from './customer.table.ts';
import { toCustomerView } from './customer-view.ts';
import { CONNECTION_PAGE_MAX } from './page-size.ts';

export async function listBillingCustomers(
  context: SubgraphContext,
  { unmapped, ...input }: PageInput & { readonly unmapped: boolean },
): Promise<Connection<RevenueCustomer>> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CONNECTION_PAGE_MAX);
  const { rows, totalCount } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await customerPage(tx, organizationId, { ...page, unmapped }),
    totalCount: await countListedCustomers(tx, organizationId, unmapped),
  }));
  return toConnection(
    rows.map((row) => toCustomerView(organizationId, row)),
    totalCount,
    page,
  );
}
