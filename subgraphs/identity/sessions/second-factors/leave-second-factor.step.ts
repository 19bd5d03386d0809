/** After a second factor was taken off, before that is committed: whether the account may be left with what it has. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { fail } from '../../../../schema/errors.ts';
import { findOrganization } from '../../accounts/organization.table.ts';
import { hasSecondFactor } from './passkey.table.ts';
import { deleteRecoveryCodes } from './recovery-code.table.ts';

/** Recovery codes go with the last one. Fails with `VALIDATION_ERROR` where the organization requires one. */
export async function leaveSecondFactor(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<void> {
  if (await hasSecondFactor(em, organizationId, accountUserId)) return;
  if ((await findOrganization(em, organizationId))?.secondFactorRequiredAt != null)
    fail('VALIDATION_ERROR', 'Your organization requires a second factor: add another one first');
  await deleteRecoveryCodes(em, organizationId, accountUserId);
}
