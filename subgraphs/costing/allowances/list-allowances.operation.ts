/** Lists allowances with their remaining amounts. */
import { enumText } from '#kernel/enum-value.ts';
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { Allowance, AllowanceFilter } from '../resolvers.generated.ts';
import { allowancePage } from './allowance-balance.query.ts';
import { toAllowanceView } from './allowance-view.ts';

const PAGE_MAX = 500;
const PERCENT_MAX = 100_000;

/** A page of allowances, ordered by creation time. */
export async function listAllowances(
  context: SubgraphContext,
  { filter, ...input }: PageInput & { readonly filter?: AllowanceFilter | null | undefined },
): Promise<UncountedConnection<Allowance>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, PAGE_MAX);
  const usedPercent = filter?.usedPercent ?? null;
  if (usedPercent !== null && (usedPercent < 0 || usedPercent > PERCENT_MAX))
    fail('VALIDATION_ERROR', `usedPercent must be from 0 to ${PERCENT_MAX}`);
  const rows = await context.database.find(organizationId, (tx) =>
    allowancePage(tx, {
      organizationId,
      subject: filter?.subject == null ? null : enumText(filter.subject),
      subjectId: filter?.subjectId ?? null,
      usedPercent,
      after: page.after,
      limit: page.limit + 1,
    }),
  );
  return toKeysetConnection(rows.map(toAllowanceView), page);
}
