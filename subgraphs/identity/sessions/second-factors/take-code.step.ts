/** Uses a code of the authenticator app, if one is on, or a recovery code. Each code works once. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Sealing } from '#platform/seal.ts';
import { SECOND_FACTOR_SEAL } from '../../secrets/secret-purposes.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { matchingStep } from './totp.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { takeRecoveryCode } from './recovery-code.table.ts';
import { someRecoveryCodeKey } from './recovery-code-key.table.ts';
import { findSecondFactor, type SecondFactor, takeStep } from './second-factor.table.ts';

const TOTP_CODE = /^\d{6}$/;

/** Returns false for a wrong or used code. Spaces are ignored. */
export async function takeCode(
  tx: WriteTransaction,
  owner: Pick<SecondFactor, 'organizationId' | 'accountUserId'>,
  typed: string,
  sealing: Sealing,
  now: Date,
): Promise<boolean> {
  const code = typed.replaceAll(/\s/g, '');
  if (!TOTP_CODE.test(code)) return takeRecovery(tx, owner, code, sealing, now);
  const factor = await findSecondFactor(tx, owner.organizationId, owner.accountUserId);
  return factor?.confirmedAt != null && takeTotp(tx, factor, code, sealing, now);
}

/** Accepts a code of an authenticator app, even before the factor is confirmed. */
export async function takeTotp(
  tx: WriteTransaction,
  { organizationId, accountUserId, sealed, lastStep }: SecondFactor,
  code: string,
  sealing: Sealing,
  now: Date,
): Promise<boolean> {
  const secret = Buffer.from(sealing.unseal(sealed, SECOND_FACTOR_SEAL, accountUserId), 'base64');
  const step = matchingStep(secret, code, now, lastStep);
  return step !== null && takeStep(tx, organizationId, accountUserId, step);
}

async function takeRecovery(
  tx: WriteTransaction,
  { organizationId, accountUserId }: Pick<SecondFactor, 'organizationId' | 'accountUserId'>,
  code: string,
  sealing: Sealing,
  now: Date,
): Promise<boolean> {
  const take = (key: Buffer) =>
    takeRecoveryCode(tx, organizationId, accountUserId, hashRecoveryCode(code, accountUserId, key), now);
  if (!(await someRecoveryCodeKey(tx, sealing, take))) return false;
  await recordAudit(tx, { organizationId, at: now, action: 'recovery_code.used', actorKind: 'session', accountUserId });
  return true;
}
