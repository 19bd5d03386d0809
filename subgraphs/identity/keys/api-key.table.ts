/** API keys. The key itself is not stored, except a sealed copy of test keys. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { LookUps } from '#platform/database/look-up.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ApiKeyTable = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** Raw SHA-256. */
    hash: p.blob(),
    /** Gets longer with each rotation. */
    name: p.text(),
    description: p.text().nullable(),
    environment: p.enum(['live', 'test']),
    scopes: p.array(),
    /** True if its requests may be unsigned, for senders that cannot sign a body. */
    mayWriteUnsigned: p.boolean().default(false),
    /** The key sealed with AES-256-GCM; test keys only. */
    sealed: p.blob().nullable(),
    createdAt: p.datetime(3),
    /** The account user who created it, possibly for someone else. */
    createdBy: p.uuid(),
    /** The OAuth client that obtained it; the name is kept after the client is deleted. */
    clientId: p.text().nullable(),
    clientName: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'api_key_hash_unique', properties: ['hash'] }],
  indexes: [{ name: 'api_key_id_index', properties: ['id'] }],
  checks: [{ name: 'api_key_live_is_never_sealed', expression: "sealed is null or environment = 'test'" }],
});

export type ApiKey = InferEntity<typeof ApiKeyTable>;

const db = tables<typeof ApiKeyTable>();

/** Fields that the gateway needs of a valid key. */
export interface ActiveKey {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly accountUserId: AccountUserId;
  readonly name: string;
  readonly environment: 'live' | 'test';
  readonly scopes: string[];
  readonly mayWriteUnsigned: boolean;
  readonly expiresAt: string | null;
  readonly isUseUnrecorded: boolean;
}

const ACTIVE_KEY = statement(
  ({ hash, now, recordUseBefore }: Parameters<{ hash: Buffer; now: Date; recordUseBefore: Date }>) =>
    db
      .selectFrom('apiKey')
      .select(['organizationId', 'id', 'accountUserId', 'name', 'environment', 'mayWriteUnsigned'])
      .select([
        sql<string[]>`to_json(scopes)`.as('scopes'),
        sql<string | null>`${sql.raw(isoMillis('expires_at'))}`.as('expiresAt'),
        sql<boolean>`coalesce(last_used_at < ${recordUseBefore}, true)`.as('isUseUnrecorded'),
      ])
      .where('hash', '=', hash)
      .where('revokedAt', 'is', null)
      .where((of) => of.or([of('expiresAt', 'is', null), of('expiresAt', '>', now)])),
);

/** Finds the key with this hash, unless it is revoked or expired. One index lookup on every request. */
export function findActiveKey(
  lookUps: LookUps,
  hash: Buffer,
  now: Date,
  recordUseBefore: Date,
): Promise<ActiveKey | null> {
  return lookUps.find(ACTIVE_KEY, { hash, now, recordUseBefore });
}

export async function recordUse(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  now: Date,
): Promise<void> {
  await tx.em.nativeUpdate(ApiKeyTable, { organizationId, id }, { lastUsedAt: now });
}

/** API keys, newest first; only those of one account user if given. */
export function listApiKeys(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId | null,
): Promise<ApiKey[]> {
  return tx.em.find(
    ApiKeyTable,
    { organizationId, ...(accountUserId === null ? {} : { accountUserId }) },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  );
}

const ORGANIZATION_OF = statement(({ id }: Parameters<{ id: string }>) =>
  db.selectFrom('apiKey').select('organizationId').where('id', '=', id),
);

/** Returns the organization of a key, for an operator who has only its id. */
export async function organizationOfKey(tx: WriteTransaction, id: string): Promise<string | null> {
  return (await tx.first(ORGANIZATION_OF, { id }))?.organizationId ?? null;
}

/**
 * Revokes an active key and returns its previous state. Only one of several concurrent calls gets it; `null` if it is
 * not active or belongs to someone else.
 */
export async function retireActiveKey(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  accountUserId: AccountUserId | null,
  now: Date,
): Promise<ApiKey | null> {
  const active = {
    organizationId,
    id,
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
    ...(accountUserId === null ? {} : { accountUserId }),
  };
  if ((await tx.em.nativeUpdate(ApiKeyTable, active, { revokedAt: now })) !== 1) return null;
  return tx.em.findOne(ApiKeyTable, { organizationId, id });
}

/** Finds a key of the organization, or of one account user if given. */
export function findApiKey(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  accountUserId: AccountUserId | null,
): Promise<ApiKey | null> {
  return tx.em.findOne(ApiKeyTable, { organizationId, id, ...(accountUserId === null ? {} : { accountUserId }) });
}

/** Revokes a key. Returns false if it was already revoked. */
export async function endApiKey(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  now: Date,
): Promise<boolean> {
  return (await tx.em.nativeUpdate(ApiKeyTable, { organizationId, id, revokedAt: null }, { revokedAt: now })) === 1;
}

/**
 * Revokes the key with this hash, regardless of its owner: the caller has the key. Returns `null` if there is no key
 * to revoke.
 */
export async function endApiKeyWithHash(tx: WriteTransaction, hash: Buffer, now: Date): Promise<ApiKey | null> {
  if ((await tx.em.nativeUpdate(ApiKeyTable, { hash, revokedAt: null }, { revokedAt: now })) !== 1) return null;
  return tx.em.findOne(ApiKeyTable, { hash });
}

/** Sets whether a key may send unsigned bodies. Returns false if the key is revoked. */
export async function setWriteUnsigned(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  mayWriteUnsigned: boolean,
): Promise<boolean> {
  return (await tx.em.nativeUpdate(ApiKeyTable, { organizationId, id, revokedAt: null }, { mayWriteUnsigned })) === 1;
}
