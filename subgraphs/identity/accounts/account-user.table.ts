/** Account users: the people of an organization, never the end users of its product. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
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

/** `false` when the address belongs to an account already, also one of the same instant. */
export async function insertAccountUser(em: EntityManager, { organizationId, id, email, passwordHash, role, createdAt }: Omit<AccountUser, 'disabledAt'>): Promise<boolean> {
  const rows = await query(em, `
    insert into account_user (organization_id, id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5, $6)
    on conflict (email) do nothing returning 1`, [organizationId, id, email, passwordHash, role, createdAt]);
  return rows.length === 1;
}

/** Whose sign-in name this is, in whatever organization. */
export function findByEmail(em: EntityManager, email: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { email });
}

/** The first owner of an organization who is not disabled; every organization has one. */
export function findOwner(em: EntityManager, organizationId: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { organizationId, role: 'owner', disabledAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** `false` when the password has been changed since the account was read. */
export async function replacePassword(em: EntityManager, { organizationId, id, passwordHash }: AccountUser, newHash: string): Promise<boolean> {
  return await em.nativeUpdate(AccountUserTable, { organizationId, id, passwordHash }, { passwordHash: newHash }) === 1;
}

export function findAccountUser(em: EntityManager, organizationId: string, id: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { organizationId, id });
}
