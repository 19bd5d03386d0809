/** Authorization codes: good for a minute and for one use. Used ones stay, so that a second use is noticed. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

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

/** Spends a code: of many at once, one gets it. */
export async function consumeCode(em: EntityManager, hash: Buffer, now: Date): Promise<AuthorizationCode | null> {
  if (
    (await em.nativeUpdate(
      AuthorizationCodeTable,
      { hash, consumedAt: null, expiresAt: { $gt: now } },
      { consumedAt: now },
    )) !== 1
  )
    return null;
  return em.findOne(AuthorizationCodeTable, { hash });
}

export async function recordIssuedKey(
  em: EntityManager,
  { organizationId, hash }: Pick<AuthorizationCode, 'organizationId' | 'hash'>,
  apiKeyId: string,
): Promise<void> {
  await em.nativeUpdate(AuthorizationCodeTable, { organizationId, hash }, { apiKeyId });
}

/** The key that was issued for a code that is spent, or `null`. */
export async function keyOfSpentCode(
  em: EntityManager,
  hash: Buffer,
): Promise<{ organizationId: string; apiKeyId: string } | null> {
  const [row] = await query<{ organizationId: string; apiKeyId: string }>(
    em,
    `
    select organization_id, api_key_id from authorization_code where hash = $1 and consumed_at is not null and api_key_id is not null`,
    [hash],
  );
  return row ?? null;
}

export async function deleteOldCodes(em: EntityManager, before: Date): Promise<void> {
  await query(em, 'delete from authorization_code where expires_at < $1', [before]);
}
