/** Ten new recovery codes in the place of the old ones; the codes leave once. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { randomBytes } from '../../../../platform/random.ts';
import { sealingKey } from '../../../../platform/seal.ts';
import { RECOVERY_CODE_BYTES, RECOVERY_CODES } from '../../config.ts';
import { hashRecoveryCode, makeRecoveryCode } from './recovery-code.ts';
import { RECOVERY_CODE_HASH } from '../../secrets/secret-purposes.ts';
import { replaceRecoveryCodes } from './recovery-code.table.ts';

export async function newRecoveryCodes(em: EntityManager, organizationId: string, accountUserId: string, serviceSecret: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => makeRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)));
  const key = sealingKey(serviceSecret, RECOVERY_CODE_HASH);
  await replaceRecoveryCodes(em, organizationId, accountUserId, codes.map((code) => hashRecoveryCode(code, accountUserId, key)));
  return codes;
}
