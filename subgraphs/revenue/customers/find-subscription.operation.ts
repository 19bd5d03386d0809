/** Returns a subscription of the processor with its end user (decision 9, D35). */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { type BillingSubscriptionView, toSubscriptionView } from './customer-view.ts';
import { findSubscriptionRow } from './subscription.table.ts';

/** Fails with `NOT_FOUND` if no sync has seen it. */
export async function findSubscription(context: SubgraphContext, id: string): Promise<BillingSubscriptionView> {
  const organizationId = organizationOf(context);
  const row = id.includes('\0')
    ? null
    : await context.database.snapshot(organizationId, (tx) => findSubscriptionRow(tx, organizationId, id));
  return row === null ? fail('NOT_FOUND', 'Unknown subscription_id') : toSubscriptionView(organizationId, row);
}
