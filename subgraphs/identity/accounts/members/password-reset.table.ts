/** Password resets: a link with which an account user chooses a new password without the old one, once. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';

export const PasswordResetTable = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'password_reset_token_hash_unique', properties: ['tokenHash'] }],
});

export type PasswordReset = InferEntity<typeof PasswordResetTable>;

/** In whatever organization. `null` when it opens nothing any more. */
export function findOpenReset(em: EntityManager, tokenHash: Buffer, now: Date): Promise<PasswordReset | null> {
  return em.findOne(PasswordResetTable, { tokenHash, consumedAt: null, expiresAt: { $gt: now } });
}

/** Spends it: of many at once, one does. */
export async function consumeReset(
  em: EntityManager,
  { organizationId, id }: PasswordReset,
  now: Date,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(
      PasswordResetTable,
      { organizationId, id, consumedAt: null, expiresAt: { $gt: now } },
      { consumedAt: now },
    )) === 1
  );
}

/** A new link takes the place of the ones before; so does the end of the account. */
export async function voidResets(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  now: Date,
): Promise<void> {
  await em.nativeUpdate(PasswordResetTable, { organizationId, accountUserId, consumedAt: null }, { consumedAt: now });
}

export async function deleteOldResets(em: EntityManager, before: Date): Promise<void> {
  await em.nativeDelete(PasswordResetTable, { expiresAt: { $lt: before } });
}
