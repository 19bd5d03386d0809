/** Checks, after removing a second factor and before committing, whether the account may be left as it is. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { findOrganization } from '../../accounts/organization.table.ts';
import { hasSecondFactor } from './passkey.table.ts';
import { deleteRecoveryCodes } from './recovery-code.table.ts';

/**
 * Deletes the recovery codes with the last factor. Fails with `VALIDATION_ERROR` if the organization requires a second
 * factor.
 */
export async function leaveSecondFactor(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<void> {
  if (await hasSecondFactor(tx, organizationId, accountUserId)) return;
  if ((await findOrganization(tx, organizationId))?.secondFactorRequiredAt != null)
    fail('VALIDATION_ERROR', 'Your organization requires a second factor: add another one first');
  await deleteRecoveryCodes(tx, organizationId, accountUserId);
}
