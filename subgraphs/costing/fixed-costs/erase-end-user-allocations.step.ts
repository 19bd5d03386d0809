/** Assigns the allocated costs of an erased end user to its pseudonym. Figures do not change (decision 28). */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { renameEndUser } from './allocation-entry.table.ts';
import { listFixedCostRows, replaceEndUser } from './fixed-cost.table.ts';

/** Call it when all events have the pseudonym. An allocation that is being computed is discarded. */
export async function eraseEndUserAllocations(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
  pseudonym: string,
): Promise<void> {
  await lockOrganization(tx, 'allocations', organizationId);
  const fixedCosts = await listFixedCostRows(tx, organizationId);
  if (fixedCosts.length === 0) return;
  const renamed = (name: string) => (name === externalId ? pseudonym : name);
  for (const { id, scope, shares } of fixedCosts)
    await replaceEndUser(tx, organizationId, {
      id,
      scope: { ...scope, endUsers: scope.endUsers?.map(renamed) ?? null },
      shares: shares.map((share) => ({ ...share, externalId: renamed(share.externalId) })),
    });
  await renameEndUser(tx, organizationId, externalId, pseudonym);
}
