/** What `Query.node` names of attribution: there where an event of the caller's organization has named it. */
import { parseNodeId } from '../../../kernel/node-id.ts';
import { isUuid } from '../../../kernel/uuid.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { requireGrant } from '../../../platform/subgraph/require-grant.ts';
import { fail } from '../../../schema/errors.ts';
import { findEndUser } from '../end-users/end-user.table.ts';
import { checkValues } from './check-selection.query.ts';
import { parseSelection } from './cost-selection.ts';

/** Fails with `NOT_FOUND` for one that no event has named. */
export async function findEndUserOfNode(context: SubgraphContext, nodeId: string): Promise<{ externalId: string }> {
  requireGrant(context, ['costs:read']);
  const organizationId = organizationOf(context);
  const id = keyOf(nodeId);
  const found = isUuid(id)
    ? await context.database.read(organizationId, (tx) => findEndUser(tx, organizationId, id))
    : null;
  return found ?? fail('NOT_FOUND', 'Unknown end user');
}

/** The agent, model or provider of a node. Fails with `NOT_FOUND` for one that no priced event has named. */
export async function findValueOfNode(
  context: SubgraphContext,
  key: 'agent' | 'model' | 'provider',
  nodeId: string,
): Promise<string> {
  requireGrant(context, ['costs:read']);
  const organizationId = organizationOf(context);
  const value = keyOf(nodeId);
  const selection = parseSelection({ filter: { [key]: value } });
  await context.database.read(organizationId, (tx) => checkValues(tx, organizationId, selection));
  return value;
}

/** The gateway has read the type. */
export function keyOf(nodeId: string): string {
  return parseNodeId(nodeId)?.key ?? fail('NOT_FOUND', 'Nothing has this id');
}
