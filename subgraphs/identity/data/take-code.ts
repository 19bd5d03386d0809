/** Takes a code of the second factor, or a recovery code: each opens something once. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { Sealing } from '../../../platform/seal.ts';
import { SECOND_FACTOR_SEAL } from '../rules/secret-purposes.ts';
import { hashRecoveryCode } from '../rules/recovery-code.ts';
import { matchingStep } from '../rules/totp.ts';
import { recordAct } from './audit-record.ts';
import { takeRecoveryCode } from './recovery-code.ts';
import { someRecoveryCodeKey } from './recovery-code-key.ts';
import { type SecondFactor, takeStep } from './second-factor.ts';

const TOTP_CODE = /^\d{6}$/;

export async function takeCode(em: EntityManager, factor: SecondFactor, typed: string, sealing: Sealing, now: Date): Promise<boolean> {
  const code = typed.replaceAll(/\s/g, '');
  return TOTP_CODE.test(code) ? takeTotp(em, factor, code, sealing, now) : takeRecovery(em, factor, code, sealing, now);
}

/** Also before the factor is confirmed. */
export async function takeTotp(em: EntityManager, { organizationId, accountUserId, sealed, lastStep }: SecondFactor, code: string, sealing: Sealing, now: Date): Promise<boolean> {
  const secret = Buffer.from(sealing.unseal(sealed, SECOND_FACTOR_SEAL, accountUserId), 'base64');
  const step = matchingStep(secret, code, now, lastStep);
  return step !== null && takeStep(em, organizationId, accountUserId, step);
}

async function takeRecovery(em: EntityManager, { organizationId, accountUserId }: SecondFactor, code: string, sealing: Sealing, now: Date): Promise<boolean> {
  const take = (key: Buffer) => takeRecoveryCode(em, organizationId, accountUserId, hashRecoveryCode(code, accountUserId, key), now);
  if (!await someRecoveryCodeKey(em, sealing, take)) return false;
  await recordAct(em, { organizationId, at: now, act: 'recovery_code.used', actorKind: 'session', accountUserId });
  return true;
}
