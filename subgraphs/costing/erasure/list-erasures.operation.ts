/** Lists erasures, as proof that end users were erased. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import type { EndUserErasure } from '../resolvers.generated.ts';
import { erasurePage, subjectHashOf } from './end-user-erasure.table.ts';

export interface ErasureFilter {
  readonly externalId?: string | null | undefined;
  readonly limit: number;
  readonly before?: string | null | undefined;
}

/** Newest first; with `externalId`, only those of that end user. */
export function listErasures(
  context: SubgraphContext,
  { externalId, limit, before }: ErasureFilter,
): Promise<EndUserErasure[]> {
  const organizationId = organizationOf(context);
  if (limit < 1 || limit > 100) fail('VALIDATION_ERROR', 'limit must be from 1 to 100');
  if (before != null && !isUuid(before)) fail('VALIDATION_ERROR', 'before must be the id of an erasure');
  const subjectHash =
    externalId === undefined || externalId === null ? null : subjectHashOf(organizationId, externalId);
  return context.database.write(organizationId, (tx) =>
    erasurePage(tx, organizationId, { subjectHash, limit, before: before ?? null }),
  );
}
