/** Lists erasures, as proof that end users were erased. */
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { EndUserErasure } from '../resolvers.generated.ts';
import { erasurePage, subjectHashOf } from './end-user-erasure.table.ts';

export interface ErasureFilter extends PageInput {
  readonly externalId?: string | null | undefined;
}

const PAGE_MAX = 100;

/** Erasures, newest first; with `externalId`, only those of that end user. */
export async function listErasures(
  context: SubgraphContext,
  { externalId, ...input }: ErasureFilter,
): Promise<UncountedConnection<EndUserErasure>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, PAGE_MAX);
  const subjectHash =
    externalId === undefined || externalId === null ? null : subjectHashOf(organizationId, externalId);
  const found = await context.database.write(organizationId, (tx) =>
    erasurePage(tx, organizationId, { subjectHash, limit: page.limit + 1, before: page.after }),
  );
  return toKeysetConnection(found, page);
}
