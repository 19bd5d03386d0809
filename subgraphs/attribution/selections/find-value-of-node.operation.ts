/**
 * Finds an agent, model or provider by the key of its global id, for `Query.node`, if a priced event of the caller's organization
 * has named it.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { checkValues } from './check-selection.query.ts';
import { parseSelection } from './cost-selection.ts';

/** Fails with `NOT_FOUND` if no priced event has this value. */
export async function findValueOfNode(
  context: SubgraphContext,
  key: 'agent' | 'model' | 'provider',
  value: string,
): Promise<string> {
  requireGrant(context, ['costs:read']);
  const organizationId = organizationOf(context);
  const selection = parseSelection({ filter: { [key]: value } });
  await context.database.snapshot(organizationId, (tx) => checkValues(tx, organizationId, selection));
  return value;
}
