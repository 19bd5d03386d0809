/** Passkeys of account users (WebAuthn): a second factor behind the password, or both factors in one. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../../platform/database/statement.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';
import { SecondFactorTable } from './second-factor.table.ts';

export const PasskeyTable = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** As its authenticator names it, in base64url. */
    credentialId: p.text(),
    /** COSE_Key of RFC 9052: a public key, no secret. */
    publicKey: p.blob(),
    /** How often its authenticator says it signed; 0 forever: it does not count. */
    counter: p.bigint('number'),
    /** How a browser reaches the authenticator, as it said itself. */
    transports: p.array(),
    /** Whether it is kept on several devices. */
    isSynced: p.boolean(),
    /** For people. */
    name: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'passkey_credential_id_unique', properties: ['credentialId'] }],
  indexes: [{ name: 'passkey_account_user_index', properties: ['organizationId', 'accountUserId'] }],
});

export type Passkey = InferEntity<typeof PasskeyTable>;

const INSERT_PASSKEY = statement(
  (
    input: Parameters<{
      organizationId: string;
      id: string;
      accountUserId: string;
      credentialId: string;
      publicKey: NonNullable<Uint8Array<ArrayBufferLike> | Buffer | null>;
      counter: number;
      transports: readonly string[];
      isSynced: NonNullable<boolean | null | undefined>;
      name: string;
      createdAt: Date;
    }>,
  ) => sql<object>`
    insert into passkey (organization_id, id, account_user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
    values (${input.organizationId}, ${input.id}, ${input.accountUserId}, ${input.credentialId}, ${input.publicKey}, ${input.counter}, ${input.transports}, ${input.isSynced}, ${input.name}, ${input.createdAt})
    on conflict (credential_id) do nothing returning 1`,
);

/** `false` when some account has it already, also one of another organization. */
export async function insertPasskey(
  em: EntityManager,
  {
    organizationId,
    id,
    accountUserId,
    credentialId,
    publicKey,
    counter,
    transports,
    isSynced,
    name,
    createdAt,
  }: Omit<Passkey, 'lastUsedAt'>,
): Promise<boolean> {
  const rows = await run(em, INSERT_PASSKEY, {
    organizationId,
    id,
    accountUserId,
    credentialId,
    publicKey,
    counter,
    transports,
    isSynced,
    name,
    createdAt,
  });
  return rows.length === 1;
}

/** In whatever organization. */
export function findPasskey(em: EntityManager, credentialId: string): Promise<Passkey | null> {
  return em.findOne(PasskeyTable, { credentialId });
}

/** Oldest first. */
export function listPasskeysOf(em: EntityManager, organizationId: string, accountUserId: string): Promise<Passkey[]> {
  return em.find(PasskeyTable, { organizationId, accountUserId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

export function countPasskeys(em: EntityManager, organizationId: string, accountUserId: string): Promise<number> {
  return em.count(PasskeyTable, { organizationId, accountUserId });
}

/** Whether a sign-in asks for anything behind the password: a code or a passkey. */
export async function hasSecondFactor(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<boolean> {
  if ((await countPasskeys(em, organizationId, accountUserId)) > 0) return true;
  // Counted, not found: what this transaction has read before may be gone.
  return (await em.count(SecondFactorTable, { organizationId, accountUserId, confirmedAt: { $ne: null } })) > 0;
}

/**
 * `false` when its counter did not grow, as of an authenticator that was copied (WebAuthn, section 6.1.1). Of two that
 * present one count at once, one passes.
 */
export async function recordPasskeyUse(
  em: EntityManager,
  { organizationId, id }: Passkey,
  counter: number,
  now: Date,
): Promise<boolean> {
  const grows = counter === 0 ? { counter: 0 } : { counter: { $lt: counter } };
  return (await em.nativeUpdate(PasskeyTable, { organizationId, id, ...grows }, { counter, lastUsedAt: now })) === 1;
}

export async function setPasskeyName(em: EntityManager, passkey: Passkey, name: string): Promise<void> {
  const { organizationId, id } = passkey;
  await em.nativeUpdate(PasskeyTable, { organizationId, id }, { name });
}

/** `null` when the account user has no such passkey. */
export function findPasskeyOf(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  id: string,
): Promise<Passkey | null> {
  return em.findOne(PasskeyTable, { organizationId, accountUserId, id });
}

/** Of many at once one removes it. */
export async function deletePasskey(em: EntityManager, { organizationId, id }: Passkey): Promise<boolean> {
  return (await em.nativeDelete(PasskeyTable, { organizationId, id })) === 1;
}

/** Says how many. */
export function deletePasskeysOf(em: EntityManager, organizationId: string, accountUserId: string): Promise<number> {
  return em.nativeDelete(PasskeyTable, { organizationId, accountUserId });
}
