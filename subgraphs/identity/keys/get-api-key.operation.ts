/**
 * Returns an API key that another subgraph refers to, for example as the sender of an event, to callers who may list
 * keys.
 */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { fail } from '#kernel/errors.ts';
import { findApiKey } from './api-key.table.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

/**
 * Fails with `FORBIDDEN`, and with `NOT_FOUND` for a key of another organization or, for a member, of another account
 * user.
 */
export async function getApiKey(context: SubgraphContext, id: string): Promise<ApiKeyView> {
  requireGrant(context, ['operator', 'owner', 'admin', 'member', 'finance', 'viewer']);
  const { principal, database } = context;
  const organizationId = organizationOf(context);
  const found = isUuid(id)
    ? await database.write(organizationId, (tx) => findApiKey(tx, organizationId, id, keyOwnerFilter(principal)))
    : null;
  return found ? toApiKeyView(found) : fail('NOT_FOUND', 'Unknown API key');
}
