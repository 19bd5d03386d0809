/** Removes a provider's credit. What it paid for is reverted in the background, and other credits may pay instead. */
import { now } from '#platform/clock.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CREDIT_CHANNEL } from '../config.ts';
import { findCredit } from './change-provider-credit.step.ts';
import { saveCreditRow } from './provider-credit.table.ts';

/** Returns the id. Fails with `NOT_FOUND`. */
export async function removeProviderCredit(context: SubgraphContext, id: string): Promise<string> {
  const organizationId = organizationOf(context);
  const at = now();
  await context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'providerCredits', organizationId);
    const { before } = await findCredit(tx, organizationId, id);
    if (before === null) return fail('NOT_FOUND', 'Unknown credit');
    await saveCreditRow(tx, organizationId, {
      ...before,
      isRemoved: true,
      revision: before.revision + 1,
      changedAt: at,
    });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'provider_credit.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${before.name} from ${before.providerSlug}`,
    });
    announceAfterCommit(tx, CREDIT_CHANNEL);
  });
  return id;
}
