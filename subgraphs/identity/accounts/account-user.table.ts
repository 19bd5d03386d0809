/** Account users: the people of an organization, never the end users of its product. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { enumValue } from '../../../kernel/enum-value.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, runFirst, statement } from '../../../platform/database/statement.ts';
import { tables } from '../../../platform/database/tables.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

export const AccountUserTable = defineEntity({
  name: 'AccountUser',
  tableName: 'account_user',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** In its one spelling (`canonicalEmail`): the sign-in name, unique in the whole service. */
    email: p.string().length(254),
    /** PHC string of argon2id. */
    passwordHash: p.text(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3),
    /** Since when it opens nothing: no sign-in, no session, no key, no link. */
    disabledAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'account_user_email_unique', properties: ['email'] }],
});

export type AccountUser = InferEntity<typeof AccountUserTable>;

const db = tables<typeof AccountUserTable>();

const INSERT_ACCOUNT_USER = statement(
  (
    input: Parameters<{
      organizationId: string;
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

/** `false` when the address belongs to an account already, also one of the same instant. */
export async function insertAccountUser(
  em: EntityManager,
  { organizationId, id, email, passwordHash, role, createdAt }: Omit<AccountUser, 'disabledAt'>,
): Promise<boolean> {
  const rows = await run(em, INSERT_ACCOUNT_USER, { organizationId, id, email, passwordHash, role, createdAt });
  return rows.length === 1;
}

/** Whose sign-in name this is, in whatever organization. */
export function findByEmail(em: EntityManager, email: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { email });
}

/** The first owner of an organization who is not disabled; every organization has one. */
export function findOwner(em: EntityManager, organizationId: string): Promise<AccountUser | null> {
  return em.findOne(
    AccountUserTable,
    { organizationId, role: 'owner', disabledAt: null },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
}

export interface ListedAccountUser {
  readonly organizationId: string;
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly accountRole: Uppercase<Role>;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  /** An authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  readonly passkeyCount: number;
  /** Of the sessions that are still kept. */
  readonly lastSignedInAt: Date | null;
}

type ListedRow = Omit<ListedAccountUser, 'accountRole' | 'createdAt' | 'disabledAt' | 'lastSignedInAt'> &
  Readonly<Record<'createdMs' | 'disabledMs' | 'lastSignedInMs', number | null>>;

const LIST_ACCOUNT_USERS = statement(
  (input: Parameters<{ organizationId: string | null; id: string | null; email: string | null }>) => sql<ListedRow>`
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

/** By e-mail address. Of all organizations when none is named, which then needs an id or an address. */
export async function listAccountUsers(
  em: EntityManager,
  filter: { organizationId?: string; id?: string; email?: string },
): Promise<ListedAccountUser[]> {
  const rows = await run(em, LIST_ACCOUNT_USERS, {
    organizationId: filter.organizationId ?? null,
    id: filter.id ?? null,
    email: filter.email ?? null,
  });
  const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  return rows.map(({ createdMs, disabledMs, lastSignedInMs, ...user }) => ({
    ...user,
    accountRole: enumValue(user.role),
    createdAt: new Date(createdMs ?? 0),
    disabledAt: dateOf(disabledMs),
    lastSignedInAt: dateOf(lastSignedInMs),
  }));
}

const ORGANIZATION_OF_ACCOUNT_USER = statement(({ id }: Parameters<{ id: string }>) =>
  db.selectFrom('accountUser').select('organizationId').where('id', '=', id),
);

/** The organization of an account user, for an operator who knows nothing but its id. */
export async function organizationOfAccountUser(em: EntityManager, id: string): Promise<string | null> {
  return (await runFirst(em, ORGANIZATION_OF_ACCOUNT_USER, { id }))?.organizationId ?? null;
}

const HOLD_ENABLED = statement(
  ({ organizationId, id }: Parameters<{ organizationId: string; id: string }>) =>
    sql<{
      role: Role;
    }>`select role from account_user where organization_id = ${organizationId} and id = ${id} and disabled_at is null for share`,
);

/** Holds the account user as it is until the transaction ends. Its role; `null` when it is disabled or gone. */
export async function holdEnabled(em: EntityManager, organizationId: string, id: string): Promise<Role | null> {
  return (await runFirst(em, HOLD_ENABLED, { organizationId, id }))?.role ?? null;
}

const HOLD_PASSWORD = statement(
  (input: Parameters<{ organizationId: string; id: string; passwordHash: string }>) => sql<object>`
    select 1 from account_user where organization_id = ${input.organizationId} and id = ${input.id} and password_hash = ${input.passwordHash} and disabled_at is null for share`,
);

/** The same, and `false` too when the password is another one by now: what an old one began must not outlive it. */
export async function holdPassword(
  em: EntityManager,
  { organizationId, id, passwordHash }: AccountUser,
): Promise<boolean> {
  const rows = await run(em, HOLD_PASSWORD, { organizationId, id, passwordHash });
  return rows.length > 0;
}

export async function setDisabledAt(
  em: EntityManager,
  organizationId: string,
  id: string,
  disabledAt: Date | null,
): Promise<void> {
  await em.nativeUpdate(AccountUserTable, { organizationId, id }, { disabledAt });
}

export async function setRole(em: EntityManager, organizationId: string, id: string, role: Role): Promise<void> {
  await em.nativeUpdate(AccountUserTable, { organizationId, id }, { role });
}

export async function setPassword(
  em: EntityManager,
  organizationId: string,
  id: string,
  passwordHash: string,
): Promise<void> {
  await em.nativeUpdate(AccountUserTable, { organizationId, id }, { passwordHash });
}

export async function deleteAccountUser(em: EntityManager, organizationId: string, id: string): Promise<void> {
  await em.nativeDelete(AccountUserTable, { organizationId, id });
}

/** Owners who are not disabled. Asked with the organization's lock held, so that two who go at once are counted one after the other. */
export function countOwners(em: EntityManager, organizationId: string): Promise<number> {
  return em.count(AccountUserTable, { organizationId, role: 'owner', disabledAt: null });
}

/** `false` when the password has been changed since the account was read. */
export async function replacePassword(
  em: EntityManager,
  { organizationId, id, passwordHash }: AccountUser,
  newHash: string,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(AccountUserTable, { organizationId, id, passwordHash }, { passwordHash: newHash })) === 1
  );
}

export function findAccountUser(em: EntityManager, organizationId: string, id: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { organizationId, id });
}
