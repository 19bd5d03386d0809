/** Pages through the set-aside objects, newest first. */
import { enumValue } from '#kernel/enum-value.ts';
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { CONNECTION_PAGE_MAX } from '../customers/page-size.ts';
import type { SetAsideObject } from '../resolvers.generated.ts';
import { countSetAside, setAsidePage, type SetAsideRow } from './set-aside-object.table.ts';

export async function listSetAsideObjects(
  context: SubgraphContext,
  input: PageInput,
): Promise<Connection<SetAsideObject>> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CONNECTION_PAGE_MAX);
  const { rows, totalCount } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await setAsidePage(tx, organizationId, page),
    totalCount: await countSetAside(tx, organizationId),
  }));
  return toConnection(rows.map(toSetAsideView), totalCount, page);
}

function toSetAsideView(row: SetAsideRow): SetAsideObject {
  return {
    kind: enumValue(row.kind),
    id: row.objectId,
    cause: enumValue(row.cause),
    reason: row.reason,
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
  };
}
