/** Reverts a repricing while its caller waits. An interrupted revert is resumed. */
import { finishOperation } from '#platform/operations/run-operation.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { sumCorrections } from './corrections.step.ts';
import { type Repricing, repricingOf } from './repricing-result.ts';
import { requestRevert } from './request-revert.step.ts';
import { revertKind } from './revert.step.ts';

/** Returns the changes when the revert is complete. Fails like `requestRevert`. */
export async function revertRepricing(context: SubgraphContext, repricingId: string): Promise<Repricing> {
  const organizationId = organizationOf(context);
  const { id, order } = await requestRevert(context, repricingId);
  await finishOperation(context.database, revertKind, { organizationId, id });
  return repricingOf(
    id,
    await context.database.write(organizationId, (tx) => sumCorrections(tx, organizationId, id, order)),
  );
}
