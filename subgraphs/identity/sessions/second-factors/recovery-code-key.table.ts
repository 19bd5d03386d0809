/**
 * The keys under which recovery codes are hashed. A code cannot be hashed again from what is stored of it, so its key must
 * outlive every secret of the service: it is random, and stored sealed.
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { lockTransaction } from '../../../../platform/database/sql.ts';
import { RecoveryCodeTable } from './recovery-code.table.ts';
import { randomBytes, randomUuid } from '../../../../platform/random.ts';
import type { Sealing } from '../../../../platform/seal.ts';
import { RECOVERY_CODE_HASH, RECOVERY_CODE_KEY_SEAL } from '../../secrets/secret-purposes.ts';

export const RecoveryCodeKeyTable = defineEntity({
  name: 'RecoveryCodeKey',
  tableName: 'recovery_code_key',
  properties: {
    id: p.uuid().primary(),
    /** 32 bytes in base64, sealed with AES-256-GCM. */
    sealed: p.blob(),
    /** The one that hashes new codes; the others still check old ones. */
    isCurrent: p.boolean(),
    /** Id of the service's key from whose secret it was derived, as all were before they were stored; null: random. */
    derivedFrom: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

type RecoveryCodeKey = InferEntity<typeof RecoveryCodeKeyTable>;

const KEY_BYTES = 32;

/**
 * Makes the first key, and one in the place of a current one that no secret opens. Where codes are from before keys were
 * stored, the keys that the present secrets gave then are stored too. Called at every start.
 */
export async function prepareRecoveryCodeKeys(em: EntityManager, sealing: Sealing, now: Date): Promise<void> {
  await lockTransaction(em, 727_003);
  const keys = await em.find(RecoveryCodeKeyTable, {});
  const insert = (key: Buffer, derivedFrom: string | null) => {
    const id = randomUuid();
    const sealed = sealing.seal(key.toString('base64'), RECOVERY_CODE_KEY_SEAL, id);
    return em.insert(RecoveryCodeKeyTable, {
      id,
      sealed,
      isCurrent: derivedFrom === null,
      derivedFrom,
      createdAt: now,
    });
  };
  const isFirst = keys.length === 0;
  const isUpgraded = isFirst
    ? (await em.find(RecoveryCodeTable, {}, { limit: 1 })).length > 0
    : keys.some(({ derivedFrom }) => derivedFrom !== null);
  const known = new Set(keys.map(({ derivedFrom }) => derivedFrom));
  // Later on the current secret is one that never hashed a code by itself; an earlier one may only now be named.
  const derivable = isUpgraded
    ? sealing.ring.keys.filter(({ id }, index) => (isFirst || index > 0) && !known.has(id))
    : [];
  for (const key of derivable) await insert(key.deriveWithoutId(RECOVERY_CODE_HASH), key.id);
  if (keys.some((key) => key.isCurrent && open(key, sealing) !== null)) return;
  await em.nativeUpdate(RecoveryCodeKeyTable, { isCurrent: true }, { isCurrent: false });
  await insert(randomBytes(KEY_BYTES), null);
}

/** For new codes. Fails with `SECRET_UNREADABLE`. */
export async function currentRecoveryCodeKey(
  em: EntityManager,
  sealing: Sealing,
): Promise<{ id: string; key: Buffer }> {
  const { id, sealed } = await em.findOneOrFail(RecoveryCodeKeyTable, { isCurrent: true });
  return { id, key: Buffer.from(sealing.unseal(sealed, RECOVERY_CODE_KEY_SEAL, id), 'base64') };
}

/**
 * Says whether `check` accepts one of the keys, the current one first. Fails with `SECRET_UNREADABLE` rather than with
 * "no" when a key that cannot be opened may be the right one.
 */
export async function someRecoveryCodeKey(
  em: EntityManager,
  sealing: Sealing,
  check: (key: Buffer) => Promise<boolean>,
): Promise<boolean> {
  const keys = await em.find(RecoveryCodeKeyTable, {}, { orderBy: { isCurrent: 'desc', createdAt: 'desc' } });
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
