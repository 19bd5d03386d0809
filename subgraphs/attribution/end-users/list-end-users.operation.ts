/** `Query.endUsers`: pages through the end users that events have named. */
import { parseKeysetPage, toKeysetConnection } from '#kernel/page-cursor.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { QueryEndUsersArgs } from '../resolvers.generated.ts';
import { listEndUsersBy } from './end-user.table.ts';

const PAGE_MAX = 5_000;

/** Defaults are filled in by the schema. */
type EndUsersArgs = QueryEndUsersArgs & Required<Pick<QueryEndUsersArgs, 'first'>>;

/** Fails with `VALIDATION_ERROR`. */
export async function listEndUsers(context: SubgraphContext, { seenBefore, first, after }: EndUsersArgs) {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage({ first, after }, PAGE_MAX);
  const before = typeof seenBefore === 'string' ? requireInstant('seenBefore', seenBefore).iso : null;
  const { endUsers, totalCount } = await context.database.snapshot(organizationId, (tx) =>
    listEndUsersBy(tx, organizationId, { seenBefore: before, after: page.after, limit: page.limit + 1 }),
  );
  return { ...toKeysetConnection(endUsers, page), totalCount };
}
