/** Recovery codes: each replaces a lost second factor for one sign-in. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
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
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  keyId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.em.nativeDelete(RecoveryCodeTable, { organizationId, accountUserId });
  await tx.em.insertMany(
    RecoveryCodeTable,
    hashes.map((hash) => ({ organizationId, accountUserId, hash, keyId, usedAt: null })),
  );
}

/** Returns true if the code was unused: only one of several concurrent requests gets it. */
export async function takeRecoveryCode(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(
      RecoveryCodeTable,
      { organizationId, accountUserId, hash, usedAt: null },
      { usedAt: now },
    )) === 1
  );
}

export function countRecoveryCodes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<number> {
  return tx.em.count(RecoveryCodeTable, { organizationId, accountUserId, usedAt: null });
}

export async function deleteRecoveryCodes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<void> {
  await tx.em.nativeDelete(RecoveryCodeTable, { organizationId, accountUserId });
}
