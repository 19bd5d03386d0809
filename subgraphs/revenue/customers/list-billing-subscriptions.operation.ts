/** Pages through the processor's subscriptions, newest first. */
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type BillingSubscriptionView, toSubscriptionView } from './customer-view.ts';
import { CONNECTION_PAGE_MAX } from './page-size.ts';
import { countSubscriptions, subscriptionPage } from './subscription.table.ts';

export async function listBillingSubscriptions(
  context: SubgraphContext,
  { customerId = null, ...input }: PageInput & { readonly customerId?: string | null | undefined },
): Promise<Connection<BillingSubscriptionView>> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CONNECTION_PAGE_MAX);
  const { rows, totalCount } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await subscriptionPage(tx, organizationId, { ...page, customerId }),
    totalCount: await countSubscriptions(tx, organizationId, customerId),
  }));
  return toConnection(
    rows.map((row) => toSubscriptionView(organizationId, row)),
    totalCount,
    page,
  );
}
