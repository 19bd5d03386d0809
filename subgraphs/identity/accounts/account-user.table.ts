/** Account users: people who sign in to an organization, as opposed to the end users of its product. */
import type { OrganizationId } from '#kernel/ids.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type Role, ROLES } from './role.ts';

export const AccountUserTable = defineEntity({
  name: 'AccountUser',
  tableName: 'account_user',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** The sign-in name, normalized by `canonicalEmail`. Unique across the service. */
    email: p.string().length(254),
    /** argon2id hash as a PHC string. */
    passwordHash: p.text(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3),
    /** From this time on, its sign-ins, sessions, keys and links do not work. */
    disabledAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'account_user_email_unique', properties: ['email'] }],
});

export type AccountUser = InferEntity<typeof AccountUserTable>;

const db = tables<typeof AccountUserTable>();

const INSERT_ACCOUNT_USER = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      email: string;
      passwordHash: string;
      role: string;
      createdAt: Date;
    }>,
  ) => sql<object>`
    insert into account_user (organization_id, id, email, password_hash, role, created_at) values (${input.organizationId}, ${input.id}, ${input.email}, ${input.passwordHash}, ${input.role}, ${input.createdAt})
    on conflict (email) do nothing returning 1`,
);

/** Returns `false` if the address already belongs to an account, even one that is being created concurrently. */
export async function insertAccountUser(
  tx: WriteTransaction,
  { organizationId, id, email, passwordHash, role, createdAt }: Omit<AccountUser, 'disabledAt'>,
): Promise<boolean> {
  const rows = await tx.all(INSERT_ACCOUNT_USER, { organizationId, id, email, passwordHash, role, createdAt });
  return rows.length === 1;
}

/** Finds the account user with this sign-in name in any organization. */
export function findByEmail(tx: WriteTransaction, email: string): Promise<AccountUser | null> {
  return tx.em.findOne(AccountUserTable, { email });
}

/** Returns the oldest enabled owner; every organization has one. */
export function findOwner(tx: WriteTransaction, organizationId: OrganizationId): Promise<AccountUser | null> {
  return tx.em.findOne(
    AccountUserTable,
    { organizationId, role: 'owner', disabledAt: null },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
}

export interface ListedAccountUser {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly email: string;
  readonly role: Uppercase<Role>;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  /** True for an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  readonly passkeyCount: number;
  /** Derived from sessions, which are deleted after a while. */
  readonly lastSignedInAt: Date | null;
}

type ListedRow = Omit<ListedAccountUser, 'role' | 'createdAt' | 'disabledAt' | 'lastSignedInAt'> & {
  readonly role: Role;
} & Readonly<Record<'createdMs' | 'disabledMs' | 'lastSignedInMs', number | null>>;

const LIST_ACCOUNT_USERS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId | null; id: string | null; email: string | null }>,
  ) => sql<ListedRow>`
    select account_user.organization_id, account_user.id, email, role,
           (extract(epoch from account_user.created_at) * 1000)::float8 as created_ms,
           (extract(epoch from disabled_at) * 1000)::float8 as disabled_ms,
           exists (select 1 from second_factor factor
                    where factor.organization_id = account_user.organization_id and factor.account_user_id = account_user.id
                      and factor.confirmed_at is not null) or passkeys.count > 0 as has_second_factor,
           passkeys.count as passkey_count,
           (select (extract(epoch from max(signed_in_at)) * 1000)::float8 from session
             where session.organization_id = account_user.organization_id and session.account_user_id = account_user.id) as last_signed_in_ms
      from account_user
      cross join lateral (select count(*)::int as count from passkey
                           where passkey.organization_id = account_user.organization_id and passkey.account_user_id = account_user.id) passkeys
     where (${input.organizationId}::uuid is null or account_user.organization_id = ${input.organizationId}) and (${input.id}::uuid is null or id = ${input.id}) and (${input.email}::text is null or email = ${input.email})
     order by email`,
);

/** Sorted by e-mail address. Without an organization, searches all of them and requires an id or an address. */
export async function listAccountUsers(
  tx: WriteTransaction,
  filter: { organizationId?: OrganizationId; id?: string; email?: string },
): Promise<ListedAccountUser[]> {
  const rows = await tx.all(LIST_ACCOUNT_USERS, {
    organizationId: filter.organizationId ?? null,
    id: filter.id ?? null,
    email: filter.email ?? null,
  });
  const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  return rows.map(({ createdMs, disabledMs, lastSignedInMs, ...user }) => ({
    ...user,
    role: enumValue(user.role),
    createdAt: new Date(createdMs ?? 0),
    disabledAt: dateOf(disabledMs),
    lastSignedInAt: dateOf(lastSignedInMs),
  }));
}

const ORGANIZATION_OF_ACCOUNT_USER = statement(({ id }: Parameters<{ id: string }>) =>
  db.selectFrom('accountUser').select('organizationId').where('id', '=', id),
);

/** Returns the organization of an account user, for an operator who has only its id. */
export async function organizationOfAccountUser(tx: WriteTransaction, id: string): Promise<string | null> {
  return (await tx.first(ORGANIZATION_OF_ACCOUNT_USER, { id }))?.organizationId ?? null;
}

const HOLD_ENABLED = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<{
      role: Role;
    }>`select role from account_user where organization_id = ${organizationId} and id = ${id} and disabled_at is null for share`,
);

/**
 * Locks the account user until the end of the transaction and returns its role; `null` if it is disabled or removed.
 */
export async function holdEnabled(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Role | null> {
  return (await tx.first(HOLD_ENABLED, { organizationId, id }))?.role ?? null;
}

const HOLD_PASSWORD = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; passwordHash: string }>) => sql<object>`
    select 1 from account_user where organization_id = ${input.organizationId} and id = ${input.id} and password_hash = ${input.passwordHash} and disabled_at is null for share`,
);

/**
 * Like {@link holdEnabled}, but also `false` if the password has changed: actions started with an old password must not
 * complete after it was changed.
 */
export async function holdPassword(
  tx: WriteTransaction,
  { organizationId, id, passwordHash }: AccountUser,
): Promise<boolean> {
  const rows = await tx.all(HOLD_PASSWORD, { organizationId, id, passwordHash });
  return rows.length > 0;
}

export async function setDisabledAt(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  disabledAt: Date | null,
): Promise<void> {
  await tx.em.nativeUpdate(AccountUserTable, { organizationId, id }, { disabledAt });
}

export async function setRole(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  role: Role,
): Promise<void> {
  await tx.em.nativeUpdate(AccountUserTable, { organizationId, id }, { role });
}

export async function setPassword(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  passwordHash: string,
): Promise<void> {
  await tx.em.nativeUpdate(AccountUserTable, { organizationId, id }, { passwordHash });
}

export async function deleteAccountUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<void> {
  await tx.em.nativeDelete(AccountUserTable, { organizationId, id });
}

/**
 * Counts enabled owners. The caller holds the organization's lock, so that concurrent removals of owners are counted
 * one after the other.
 */
export function countOwners(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
  return tx.em.count(AccountUserTable, { organizationId, role: 'owner', disabledAt: null });
}

/** Returns `false` if the password has changed since the account was read. */
export async function replacePassword(
  tx: WriteTransaction,
  { organizationId, id, passwordHash }: AccountUser,
  newHash: string,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(AccountUserTable, { organizationId, id, passwordHash }, { passwordHash: newHash })) === 1
  );
}

export function findAccountUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AccountUser | null> {
  return tx.em.findOne(AccountUserTable, { organizationId, id });
}
