/** Lists the organization's API keys: owners and admins see all, members their own. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listApiKeys as findApiKeys } from './api-key.table.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

export async function listApiKeys(context: SubgraphContext): Promise<ApiKeyView[]> {
  const organizationId = organizationOf(context);
  const keys = await context.database.write(organizationId, (tx) =>
    findApiKeys(tx, organizationId, keyOwnerFilter(context.principal)),
  );
  return keys.map(toApiKeyView);
}
