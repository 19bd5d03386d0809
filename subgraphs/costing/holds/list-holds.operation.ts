/** Lists holds and refusals of the last day. */
import { enumText } from '#kernel/enum-value.ts';
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Hold, HoldFilter } from '../resolvers.generated.ts';
import { holdPage } from './hold.table.ts';
import { toHoldView } from './hold-view.ts';

const PAGE_MAX = 200;

/** Newest first. */
export async function listHolds(
  context: SubgraphContext,
  { filter, ...input }: PageInput & { readonly filter?: HoldFilter | null | undefined },
): Promise<UncountedConnection<Hold>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, PAGE_MAX);
  const state = filter?.state == null ? null : enumText(filter.state);
  const rows = await context.database.readOnce(organizationId, (tx) =>
    holdPage(tx, {
      organizationId,
      state,
      endUser: filter?.endUser ?? null,
      limit: page.limit + 1,
      before: page.after,
    }),
  );
  return toKeysetConnection(rows.map(toHoldView), page);
}
