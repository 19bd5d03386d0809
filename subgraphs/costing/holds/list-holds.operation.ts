/** Lists holds and refusals of the last day. */
import { enumText } from '#kernel/enum-value.ts';
import {
  connectionOfEdges,
  keysetCursor,
  type PageInput,
  parseKeysetPage,
  type UncountedConnection,
} from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Hold, HoldFilter } from '../resolvers.generated.ts';
import { holdPage } from './hold-page.query.ts';
import { toHoldView } from './hold-view.ts';

const PAGE_MAX = 200;

/** A page of holds and refusals, newest first. */
export async function listHolds(
  context: SubgraphContext,
  { filter, ...input }: PageInput & { readonly filter?: HoldFilter | null | undefined },
): Promise<UncountedConnection<Hold>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, PAGE_MAX);
  const state = filter?.state == null ? null : enumText(filter.state);
  const { rows, next } = await context.database.snapshot(organizationId, (tx) =>
    holdPage(tx, {
      organizationId,
      state,
      endUser: filter?.endUser ?? null,
      limit: page.limit,
      before: page.after,
    }),
  );
  const { pageInfo, ...connection } = connectionOfEdges(
    rows.map((row) => ({ cursor: keysetCursor([row.id]), node: toHoldView(row) })),
    { hasNextPage: next !== null, hasPreviousPage: page.after !== null },
  );
  return {
    ...connection,
    pageInfo: { ...pageInfo, endCursor: next === null ? pageInfo.endCursor : keysetCursor([next]) },
  };
}
