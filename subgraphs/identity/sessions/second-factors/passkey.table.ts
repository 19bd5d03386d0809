/** Passkeys of account users (WebAuthn): a second factor after the password, or both factors in one. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { SecondFactorTable } from './second-factor.table.ts';

export const PasskeyTable = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** The authenticator's id for the passkey, in base64url. */
    credentialId: p.text(),
    /** COSE_Key (RFC 9052): a public key, not a secret. */
    publicKey: p.blob(),
    /** The authenticator's signature counter; always 0 if it does not count. */
    counter: p.bigint('number'),
    /** The ways in which a browser reaches the authenticator, as the authenticator reported them. */
    transports: p.array(),
    /** True if it is synced between devices. */
    isSynced: p.boolean(),
    /** Display name. */
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
      organizationId: OrganizationId;
      id: string;
      accountUserId: AccountUserId;
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

/** Returns `false` if an account of any organization already has it. */
export async function insertPasskey(
  tx: WriteTransaction,
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
  const rows = await tx.all(INSERT_PASSKEY, {
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

/** Searches all organizations. */
export function findPasskey(tx: WriteTransaction, credentialId: string): Promise<Passkey | null> {
  return tx.em.findOne(PasskeyTable, { credentialId });
}

/** The passkeys of an account user, oldest first. */
export function listPasskeysOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<Passkey[]> {
  return tx.em.find(PasskeyTable, { organizationId, accountUserId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

export function countPasskeys(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<number> {
  return tx.em.count(PasskeyTable, { organizationId, accountUserId });
}

/** True if a sign-in requires a code or passkey after the password. */
export async function hasSecondFactor(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<boolean> {
  if ((await countPasskeys(tx, organizationId, accountUserId)) > 0) return true;
  // Uses a count, because an entity read earlier in this transaction may have been deleted.
  return (await tx.em.count(SecondFactorTable, { organizationId, accountUserId, confirmedAt: { $ne: null } })) > 0;
}

/**
 * Returns `false` if the counter did not grow, which suggests a copied authenticator (WebAuthn, section 6.1.1). Only
 * one of two concurrent uses with the same count passes.
 */
export async function recordPasskeyUse(
  tx: WriteTransaction,
  { organizationId, id }: Passkey,
  counter: number,
  now: Date,
): Promise<boolean> {
  const grows = counter === 0 ? { counter: 0 } : { counter: { $lt: counter } };
  return (await tx.em.nativeUpdate(PasskeyTable, { organizationId, id, ...grows }, { counter, lastUsedAt: now })) === 1;
}

export async function setPasskeyName(tx: WriteTransaction, passkey: Passkey, name: string): Promise<void> {
  const { organizationId, id } = passkey;
  await tx.em.nativeUpdate(PasskeyTable, { organizationId, id }, { name });
}

/** Returns `null` if the account user has no such passkey. */
export function findPasskeyOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  id: string,
): Promise<Passkey | null> {
  return tx.em.findOne(PasskeyTable, { organizationId, accountUserId, id });
}

/** Returns true if this call removed it: only one of several concurrent calls does. */
export async function deletePasskey(tx: WriteTransaction, { organizationId, id }: Passkey): Promise<boolean> {
  return (await tx.em.nativeDelete(PasskeyTable, { organizationId, id })) === 1;
}

/** Returns their number. */
export function deletePasskeysOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<number> {
  return tx.em.nativeDelete(PasskeyTable, { organizationId, accountUserId });
}
