/** Returns how long the metadata of events is kept. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { MetadataRetention } from '../resolvers.generated.ts';
import { findRetention } from './metadata-retention.table.ts';

export async function getMetadataRetention(context: SubgraphContext): Promise<MetadataRetention> {
  const organizationId = organizationOf(context);
  const retention = await context.database.find(organizationId, (tx) => findRetention(tx, organizationId));
  return retention ?? { months: null, keepDimensions: [] };
}
