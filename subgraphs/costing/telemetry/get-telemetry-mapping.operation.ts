/** Returns the organization's attribute mapping for telemetry. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { TelemetryMapping } from '../resolvers.generated.ts';
import { toMappingView } from '#usage/telemetry/attribute-mapping.ts';
import { findMapping } from './attribute-mapping.table.ts';

export async function getTelemetryMapping(context: SubgraphContext): Promise<TelemetryMapping> {
  const organizationId = organizationOf(context);
  return toMappingView(await context.database.find(organizationId, (tx) => findMapping(tx, organizationId)));
}
