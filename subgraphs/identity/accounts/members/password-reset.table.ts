/** Password resets: links with which an account user sets a new password without the old one, once. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { mayStillIssue } from './may-still-issue.query.ts';

export const PasswordResetTable = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** The account user who issued the link; null for an operator. */
    issuedBy: p.uuid().nullable(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'password_reset_token_hash_unique', properties: ['tokenHash'] }],
});

type Link = Parameters<{ tokenHash: Buffer; at: Date }>;

/** True if the account is enabled, and the issuer may still reset its password. */
const isOpen = ({ tokenHash, at }: Link) => sql<boolean>`
  reset.token_hash = ${tokenHash} and reset.consumed_at is null and reset.expires_at > ${at}
  and target.organization_id = reset.organization_id and target.id = reset.account_user_id and target.disabled_at is null
  and ${mayStillIssue({ organizationId: sql`reset.organization_id`, issuedBy: sql`reset.issued_by`, role: sql`target.role` })}`;

const OPEN_RESET = statement(
  (link: Link) => sql<{ email: string; expiresMs: number }>`
    select target.email, (extract(epoch from reset.expires_at) * 1000)::float8 as expires_ms
      from password_reset reset, account_user target where ${isOpen(link)}`,
);

/** Searches all organizations. Returns `null` for a link that no longer works. Reading does not use up the link. */
export async function findOpenReset(
  tx: WriteTransaction,
  tokenHash: Buffer,
  at: Date,
): Promise<{ email: string; expiresAt: Date } | null> {
  const row = await tx.first(OPEN_RESET, { tokenHash, at });
  return row && { email: row.email, expiresAt: new Date(row.expiresMs) };
}

const CLAIM_RESET = statement(
  (link: Link) => sql<{ organizationId: OrganizationId; accountUserId: AccountUserId }>`
    update password_reset reset set consumed_at = ${link.at} from account_user target where ${isOpen(link)}
    returning reset.organization_id, reset.account_user_id`,
);

/** Uses up the link. Only one of several concurrent requests gets it. */
export function claimReset(
  tx: WriteTransaction,
  tokenHash: Buffer,
  at: Date,
): Promise<{ organizationId: OrganizationId; accountUserId: AccountUserId } | null> {
  return tx.first(CLAIM_RESET, { tokenHash, at });
}

/** Voids all links of an account, for a new link or when the account's access ends. */
export async function voidResets(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  now: Date,
): Promise<void> {
  await tx.em.nativeUpdate(
    PasswordResetTable,
    { organizationId, accountUserId, consumedAt: null },
    { consumedAt: now },
  );
}

export async function deleteOldResets(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(PasswordResetTable, { expiresAt: { $lt: before } });
}
