/** Recovery codes: each replaces a lost second factor for one sign-in. */
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '#platform/database/open-database.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const RecoveryCodeTable = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    accountUserId: p.uuid().primary(),
    /** HMAC-SHA256 with a separate key, which is stored sealed. */
    hash: p.blob().primary(),
    /** The stored key; null for a key derived before keys were stored. */
    keyId: p.uuid().nullable(),
    usedAt: p.datetime(3).nullable(),
  },
});

/** The old codes stop working. */
export async function replaceRecoveryCodes(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  keyId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await em.nativeDelete(RecoveryCodeTable, { organizationId, accountUserId });
  await em.insertMany(
    RecoveryCodeTable,
    hashes.map((hash) => ({ organizationId, accountUserId, hash, keyId, usedAt: null })),
  );
}

export async function takeRecoveryCode(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(
      RecoveryCodeTable,
      { organizationId, accountUserId, hash, usedAt: null },
      { usedAt: now },
    )) === 1
  );
}

export function countRecoveryCodes(em: EntityManager, organizationId: string, accountUserId: string): Promise<number> {
  return em.count(RecoveryCodeTable, { organizationId, accountUserId, usedAt: null });
}

export async function deleteRecoveryCodes(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<void> {
  await em.nativeDelete(RecoveryCodeTable, { organizationId, accountUserId });
}
