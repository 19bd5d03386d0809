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
    /** As given, trimmed and in lower case: the sign-in name, unique in the whole service. */
    email: p.string().length(254),
    /** PHC string of argon2id. */
    passwordHash: p.text(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'account_user_email_unique', properties: ['email'] }],
});

export type AccountUser = InferEntity<typeof AccountUserTable>;

export function isEmailTaken(em: EntityManager, email: string): Promise<boolean> {
  return query(em, 'select 1 from account_user where email = $1', [email]).then((rows) => rows.length > 0);
}

/** The first owner of an organization; every organization has one. */
export function findOwner(em: EntityManager, organizationId: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { organizationId, role: 'owner' }, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

export function findAccountUser(em: EntityManager, organizationId: string, id: string): Promise<AccountUser | null> {
  return em.findOne(AccountUserTable, { organizationId, id });
}
