/**
 * Keys for hashing recovery codes. A stored code cannot be hashed again, so its key must outlive the service's
 * secrets: it is random and stored sealed.
 */
import { lock } from '#platform/database/locks.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { RecoveryCodeTable } from './recovery-code.table.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import { RECOVERY_CODE_HASH, RECOVERY_CODE_KEY_SEAL } from '../../secrets/secret-purposes.ts';

export const RecoveryCodeKeyTable = defineEntity({
  name: 'RecoveryCodeKey',
  tableName: 'recovery_code_key',
  properties: {
    id: p.uuid().primary(),
    /** 32 bytes in base64, sealed with AES-256-GCM. */
    sealed: p.blob(),
    /** Used for new codes; the other keys still check old ones. */
    isCurrent: p.boolean(),
    /** Id of the service key it was derived from, as all keys were before they were stored; null for a random key. */
    derivedFrom: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

type RecoveryCodeKey = InferEntity<typeof RecoveryCodeKeyTable>;

const KEY_BYTES = 32;

/**
 * Creates the first key, or a new one if no secret unseals the current one. If codes exist from before keys were
 * stored, also stores the keys derived from the present secrets. Called at every start.
 */
export async function prepareRecoveryCodeKeys(tx: WriteTransaction, sealing: Sealing, now: Date): Promise<void> {
  await lock(tx, 'recoveryCodeKeys');
  const keys = await tx.em.find(RecoveryCodeKeyTable, {});
  const insert = (key: Buffer, derivedFrom: string | null) => {
    const id = randomUuid();
    const sealed = sealing.seal(key.toString('base64'), RECOVERY_CODE_KEY_SEAL, id);
    return tx.em.insert(RecoveryCodeKeyTable, {
      id,
      sealed,
      isCurrent: derivedFrom === null,
      derivedFrom,
      createdAt: now,
    });
  };
  const isFirst = keys.length === 0;
  const isUpgraded = isFirst
    ? (await tx.em.find(RecoveryCodeTable, {}, { limit: 1 })).length > 0
    : keys.some(({ derivedFrom }) => derivedFrom !== null);
  const known = new Set(keys.map(({ derivedFrom }) => derivedFrom));
  // After the first run, no code was ever hashed with the current secret itself, but earlier secrets may be configured
  // only now.
  const derivable = isUpgraded
    ? sealing.ring.keys.filter(({ id }, index) => (isFirst || index > 0) && !known.has(id))
    : [];
  for (const key of derivable) await insert(key.deriveWithoutId(RECOVERY_CODE_HASH), key.id);
  if (keys.some((key) => key.isCurrent && open(key, sealing) !== null)) return;
  await tx.em.nativeUpdate(RecoveryCodeKeyTable, { isCurrent: true }, { isCurrent: false });
  await insert(randomBytes(KEY_BYTES), null);
}

/** Returns the key for new codes. Fails with `SECRET_UNREADABLE`. */
export async function currentRecoveryCodeKey(
  tx: WriteTransaction,
  sealing: Sealing,
): Promise<{ id: string; key: Buffer }> {
  const { id, sealed } = await tx.em.findOneOrFail(RecoveryCodeKeyTable, { isCurrent: true });
  return { id, key: Buffer.from(sealing.unseal(sealed, RECOVERY_CODE_KEY_SEAL, id), 'base64') };
}

/**
 * Returns whether `check` accepts one of the keys, the current one first. Fails with `SECRET_UNREADABLE` instead of
 * returning false if a key that cannot be unsealed may be the right one.
 */
export async function someRecoveryCodeKey(
  tx: WriteTransaction,
  sealing: Sealing,
  check: (key: Buffer) => Promise<boolean>,
): Promise<boolean> {
  const keys = await tx.em.find(RecoveryCodeKeyTable, {}, { orderBy: { isCurrent: 'desc', createdAt: 'desc' } });
  for (const key of keys) {
    const opened = open(key, sealing);
    if (opened !== null && (await check(opened))) return true;
  }
  for (const { sealed, id } of keys) sealing.unseal(sealed, RECOVERY_CODE_KEY_SEAL, id);
  return false;
}

function open({ id, sealed }: RecoveryCodeKey, sealing: Sealing): Buffer | null {
  const opened = sealing.tryUnseal(sealed, RECOVERY_CODE_KEY_SEAL, id);
  return opened === null ? null : Buffer.from(opened, 'base64');
}
