/** Replaces the recovery codes with ten new ones, which are returned only once. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomBytes } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import { RECOVERY_CODE_BYTES, RECOVERY_CODES } from '../../config.ts';
import { hashRecoveryCode, makeRecoveryCode } from './recovery-code.ts';
import { replaceRecoveryCodes } from './recovery-code.table.ts';
import { currentRecoveryCodeKey } from './recovery-code-key.table.ts';

export async function newRecoveryCodes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  sealing: Sealing,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => makeRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)));
  const { id, key } = await currentRecoveryCodeKey(tx, sealing);
  await replaceRecoveryCodes(
    tx,
    organizationId,
    accountUserId,
    id,
    codes.map((code) => hashRecoveryCode(code, accountUserId, key)),
  );
  return codes;
}
