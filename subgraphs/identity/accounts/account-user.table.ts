/** Account users: the people of an organization, never the end users of its product. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
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

type NewAccountUser = Omit<AccountUser, 'disabledAt'>;

const INSERT = statement((user: Parameters<NewAccountUser>) =>
  db
    .insertInto('accountUser')
    .values({
      organizationId: user.organizationId,
      id: user.id,
      email: user.email,
      passwordHash: user.passwordHash,
      role: user.role,
      createdAt: user.createdAt,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id'),
);

/** `false` when the address belongs to an account already, also one of the same instant. */
export async function insertAccountUser(
  em: EntityManager,
  { organizationId, id, email, passwordHash, role, createdAt }: NewAccountUser,
): Promise<boolean> {
  return (await run(em, INSERT, { organizationId, id, email, passwordHash, role, createdAt })).length === 1;
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
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly hasSecondFactor: boolean;
  /** Of the sessions that are still kept. */
  readonly lastSignedInAt: Date | null;
}

type ListedRow = Omit<ListedAccountUser, 'createdAt' | 'disabledAt' | 'lastSignedInAt'> &
  Readonly<Record<'createdMs' | 'disabledMs' | 'lastSignedInMs', number | null>>;

interface Filter {
  readonly organizationId: string | null;
  readonly id: string | null;
  readonly email: string | null;
}

const LIST = statement(
  (filter: Parameters<Filter>) => sql<ListedRow>`
    select account_user.organization_id, account_user.id, email, role,
           (extract(epoch from account_user.created_at) * 1000)::float8 as created_ms,
           (extract(epoch from disabled_at) * 1000)::float8 as disabled_ms,
           exists (select 1 from second_factor factor
                    where factor.organization_id = account_user.organization_id and factor.account_user_id = account_user.id
                      and factor.confirmed_at is not null) as has_second_factor,
           (select (extract(epoch from max(signed_in_at)) * 1000)::float8 from session
             where session.organization_id = account_user.organization_id and session.account_user_id = account_user.id) as last_signed_in_ms
      from account_user
     where (${filter.organizationId}::uuid is null or account_user.organization_id = ${filter.organizationId})
       and (${filter.id}::uuid is null or id = ${filter.id}) and (${filter.email}::text is null or email = ${filter.email})
     order by email`,
);

/** By e-mail address. Of all organizations when none is named, which then needs an id or an address. */
export async function listAccountUsers(
  em: EntityManager,
  { organizationId = null, id = null, email = null }: Partial<Filter>,
): Promise<ListedAccountUser[]> {
  const rows = await run(em, LIST, { organizationId, id, email });
  const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  return rows.map(({ createdMs, disabledMs, lastSignedInMs, ...user }) => ({
    ...user,
    createdAt: new Date(createdMs ?? 0),
    disabledAt: dateOf(disabledMs),
    lastSignedInAt: dateOf(lastSignedInMs),
  }));
}

const ORGANIZATION_OF = statement((user: Parameters<{ id: string }>) =>
  db.selectFrom('accountUser').select('organizationId').where('id', '=', user.id),
);

/** The organization of an account user, for an operator who knows nothing but its id. */
export async function organizationOfAccountUser(em: EntityManager, id: string): Promise<string | null> {
  return (await runFirst(em, ORGANIZATION_OF, { id }))?.organizationId ?? null;
}

const HOLD_ENABLED = statement((user: Parameters<{ organizationId: string; id: string }>) => heldWhileEnabled(user));

const heldWhileEnabled = (user: Parameters<{ organizationId: string; id: string }>) =>
  db
    .selectFrom('accountUser')
    .select('id')
    .where('organizationId', '=', user.organizationId)
    .where('id', '=', user.id)
    .where('disabledAt', 'is', null)
    .forShare();

/** Holds the account user as it is until the transaction ends; `false` when it is disabled or gone. */
export async function holdEnabled(em: EntityManager, organizationId: string, id: string): Promise<boolean> {
  return (await runFirst(em, HOLD_ENABLED, { organizationId, id })) !== null;
}

const HOLD_PASSWORD = statement((user: Parameters<Pick<AccountUser, 'organizationId' | 'id' | 'passwordHash'>>) =>
  heldWhileEnabled(user).where('passwordHash', '=', user.passwordHash),
);

/** The same, and `false` too when the password is another one by now: what an old one began must not outlive it. */
export async function holdPassword(
  em: EntityManager,
  { organizationId, id, passwordHash }: AccountUser,
): Promise<boolean> {
  return (await runFirst(em, HOLD_PASSWORD, { organizationId, id, passwordHash })) !== null;
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
