/** Adjustments by id. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { CostAdjustment } from '../resolvers.generated.ts';
import { findAdjustments } from './cost-adjustment.table.ts';

const IDS_MAX = 1_000;

/** Unknown ids are left out. Fails with `VALIDATION_ERROR` for too many. */
export function getCostAdjustments(context: SubgraphContext, ids: readonly string[]): Promise<CostAdjustment[]> {
  const organizationId = organizationOf(context);
  if (ids.length > IDS_MAX) fail('VALIDATION_ERROR', `ids must name at most ${IDS_MAX} adjustments`);
  return context.database.snapshot(organizationId, (tx) => findAdjustments(tx, organizationId, ids.filter(isUuid)));
}
