/** Returns the organization's policy for events in a context that their rate card does not price. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { ContextPolicy } from '../resolvers.generated.ts';
import { findContextPolicy } from '../rates/context-policy.table.ts';

export async function getContextPolicy(context: SubgraphContext): Promise<ContextPolicy> {
  const organizationId = organizationOf(context);
  const row = await context.database.find(organizationId, (tx) => findContextPolicy(tx, organizationId));
  return {
    unknownContext: row?.unknownContext === 'base' ? 'BASE' : 'WAIT',
    changedAt: row === null ? null : new Date(row.changedAt),
  };
}
