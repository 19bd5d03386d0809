/** Lists fields of the organization's events that are not understood, with suggestions of what was meant. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { UnknownField } from '../resolvers.generated.ts';
import { listUnknownFieldRows } from './unknown-field.table.ts';
import { suggestField } from './unknown-fields.ts';

export async function listUnknownFields(context: SubgraphContext): Promise<UnknownField[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.snapshot(organizationId, (tx) => listUnknownFieldRows(tx, organizationId));
  return rows.map((row) => ({
    ...row,
    meant: suggestField(row.name),
    firstSeenAt: new Date(row.firstSeenAt),
    lastSeenAt: new Date(row.lastSeenAt),
  }));
}
