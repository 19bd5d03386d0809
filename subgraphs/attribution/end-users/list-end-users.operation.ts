/** `Query.endUsers`: the end users that events have named, a page at a time. */
import { keysetCursor, parseKeyset } from '#kernel/page-cursor.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import type { QueryEndUsersArgs } from '../resolvers.generated.ts';
import { listEndUsersBy } from './end-user.table.ts';

const PAGE_MAX = 5_000;

/** Defaults are filled in by the schema. */
type EndUsersArgs = QueryEndUsersArgs & Required<Pick<QueryEndUsersArgs, 'first'>>;

/** Fails with `VALIDATION_ERROR`. */
export async function listEndUsers(context: SubgraphContext, { seenBefore, first, after }: EndUsersArgs) {
  if (first < 1 || first > PAGE_MAX) fail('VALIDATION_ERROR', `first must be from 1 to ${PAGE_MAX}`);
  const organizationId = organizationOf(context);
  const page = {
    seenBefore: typeof seenBefore === 'string' ? requireInstant('seenBefore', seenBefore).iso : null,
    after: parseAfter(after),
    // One more row shows that there is a next page.
    limit: first + 1,
  };
  const { endUsers, totalCount } = await context.database.snapshot(organizationId, (tx) =>
    listEndUsersBy(tx, organizationId, page),
  );
  const edges = endUsers.slice(0, first).map((endUser) => ({ cursor: keysetCursor([endUser.id]), node: endUser }));
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: endUsers.length > first,
      hasPreviousPage: page.after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  };
}

function parseAfter(after: string | null | undefined): string | null {
  if (typeof after !== 'string') return null;
  const [id = '', ...more] = parseKeyset(after);
  return isUuid(id) && more.length === 0 ? id : fail('VALIDATION_ERROR', 'after must be a cursor of this list');
}
