/** Removes an allowance with its top-ups. Its open holds no longer reserve anything. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { deleteAllowance } from './allowance.table.ts';
import { describeSubject } from './describe-allowance.ts';
import { excludePricing } from './exclude-pricing.step.ts';

/** Returns the id. Fails with `NOT_FOUND`. */
export async function removeAllowance(context: SubgraphContext, id: string): Promise<string> {
  const organizationId = organizationOf(context);
  if (!isUuid(id)) fail('NOT_FOUND', 'Unknown allowance');
  await context.database.write(organizationId, async (tx) => {
    await excludePricing(tx, organizationId);
    const deleted = (await deleteAllowance(tx, organizationId, id)) ?? fail('NOT_FOUND', 'Unknown allowance');
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'allowance.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: describeSubject(deleted),
    });
  });
  return id;
}
