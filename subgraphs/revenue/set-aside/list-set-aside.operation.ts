/** What is in no figure because it does not fit, newest first. */
import { enumValue } from '../../../kernel/enum-value.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { pageOf } from '../customers/page-size.ts';
import type { SetAsideObject } from '../resolvers.generated.ts';
import { setAsidePage } from './set-aside-object.table.ts';

export async function listSetAside(
  context: SubgraphContext,
  page: { limit: number; offset: number },
): Promise<SetAsideObject[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.read(organizationId, (tx) => setAsidePage(tx, organizationId, pageOf(page)));
  return rows.map((row) => ({
    kind: row.kind,
    objectKind: enumValue(row.kind),
    id: row.objectId,
    cause: row.cause,
    setAsideCause: enumValue(row.cause),
    reason: row.reason,
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
  }));
}
