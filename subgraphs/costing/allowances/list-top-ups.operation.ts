/** Lists the top-ups of a prepaid allowance. */
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { AllowanceTopUp } from '../resolvers.generated.ts';
import { topUpPage } from './allowance-top-up.table.ts';

const PAGE_MAX = 200;

/** A page of top-ups, newest first; empty for an unknown allowance. */
export async function listTopUps(
  context: SubgraphContext,
  { allowanceId, ...input }: PageInput & { readonly allowanceId: string },
): Promise<UncountedConnection<AllowanceTopUp>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, PAGE_MAX);
  if (!isUuid(allowanceId)) fail('NOT_FOUND', 'Unknown allowance');
  const rows = await context.database.find(organizationId, (tx) =>
    topUpPage(tx, organizationId, { allowanceId, limit: page.limit + 1, before: page.after }),
  );
  return toKeysetConnection(
    rows.map((row) => ({ ...row, addedAt: new Date(row.addedAt) })),
    page,
  );
}
