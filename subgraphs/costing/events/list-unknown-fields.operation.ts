/** What arrives and is not understood: fields of the organization's events, with what was probably meant. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { UnknownField } from '../resolvers.generated.ts';
import { listUnknownFieldRows } from './unknown-field.table.ts';
import { meantField } from './unknown-fields.ts';

export async function listUnknownFields(context: SubgraphContext): Promise<UnknownField[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.read(organizationId, (tx) => listUnknownFieldRows(tx, organizationId));
  return rows.map((row) => ({
    ...row,
    meant: meantField(row.name),
    firstSeenAt: new Date(row.firstSeenAt),
    lastSeenAt: new Date(row.lastSeenAt),
  }));
}
