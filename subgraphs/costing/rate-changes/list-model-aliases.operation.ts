/** Lists model aliases: the organization's own, and standard ones. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { GLOBAL_TENANT } from '../config.ts';
import type { ModelAlias } from '../resolvers.generated.ts';
import { listModelAliases as listRows } from '../rates/model-alias.table.ts';

export async function listModelAliases({ database, principal }: SubgraphContext): Promise<ModelAlias[]> {
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  const rows = await database.snapshot(organizationId, (tx) => listRows(tx, organizationId));
  return rows.map((row) => ({
    name: row.name,
    provider: row.providerSlug === '' ? null : row.providerSlug,
    model: row.model,
    isStandard: row.organizationId === GLOBAL_TENANT,
    changedAt: new Date(row.changedAt),
  }));
}
