/** Counts the processor's customers, and those without an end user. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { countCustomers as count } from './customer.table.ts';

export function countCustomers(context: SubgraphContext): Promise<{ all: number; unmapped: number }> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, (tx) => count(tx, organizationId));
}
