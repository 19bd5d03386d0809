/** Authorization codes: valid for a minute and one use. Used codes are kept to detect a second use. */
import type { AccountUserId, ApiKeyId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const AuthorizationCodeTable = defineEntity({
  name: 'AuthorizationCode',
  tableName: 'authorization_code',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    /** SHA-256 of the code, which has 256 random bits. */
    hash: p.blob().primary(),
    accountUserId: p.uuid(),
    clientId: p.uuid(),
    redirectUri: p.text(),
    codeChallenge: p.text(),
    scopes: p.array(),
    resource: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).nullable(),
    /** The key that was issued for it. */
    apiKeyId: p.uuid().nullable(),
  },
  uniques: [{ name: 'authorization_code_hash_unique', properties: ['hash'] }],
});

export type AuthorizationCode = InferEntity<typeof AuthorizationCodeTable>;

const db = tables<typeof AuthorizationCodeTable>();

const OWNER_OF_CODE = statement((code: Parameters<{ hash: Buffer }>) =>
  db
    .selectFrom('authorizationCode')
    .select(['organizationId', 'accountUserId'])
    .where('hash', '=', code.hash)
    .where('consumedAt', 'is', null),
);

/** Returns the account user who approved an unused code; null if there is no such code. */
export async function findOwnerOfCode(
  tx: WriteTransaction,
  hash: Buffer,
): Promise<{ organizationId: OrganizationId; accountUserId: AccountUserId } | null> {
  return tx.first(OWNER_OF_CODE, { hash });
}

/** Uses up a code. Only one of several concurrent requests gets it. */
export async function consumeCode(tx: WriteTransaction, hash: Buffer, now: Date): Promise<AuthorizationCode | null> {
  if (
    (await tx.em.nativeUpdate(
      AuthorizationCodeTable,
      { hash, consumedAt: null, expiresAt: { $gt: now } },
      { consumedAt: now },
    )) !== 1
  )
    return null;
  return tx.em.findOne(AuthorizationCodeTable, { hash });
}

export async function recordIssuedKey(
  tx: WriteTransaction,
  { organizationId, hash }: Pick<AuthorizationCode, 'organizationId' | 'hash'>,
  apiKeyId: ApiKeyId,
): Promise<void> {
  await tx.em.nativeUpdate(AuthorizationCodeTable, { organizationId, hash }, { apiKeyId });
}

const KEY_OF_SPENT_CODE = statement((code: Parameters<{ hash: Buffer }>) =>
  db
    .selectFrom('authorizationCode')
    .select('organizationId')
    .select((of) => of.ref('apiKeyId').$notNull().as('apiKeyId'))
    .where('hash', '=', code.hash)
    .where('consumedAt', 'is not', null)
    .where('apiKeyId', 'is not', null),
);

/** Returns the key that was issued for a used code, or `null`. */
export async function keyOfSpentCode(
  tx: WriteTransaction,
  hash: Buffer,
): Promise<{ organizationId: OrganizationId; apiKeyId: ApiKeyId } | null> {
  return tx.first(KEY_OF_SPENT_CODE, { hash });
}

export async function deleteOldCodes(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(AuthorizationCodeTable, { expiresAt: { $lt: before } });
}
