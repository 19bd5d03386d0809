/**
 * Revokes items that an account user issued to others and may no longer issue: invitations, reset links, and API keys
 * in other people's names.
 */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Principal } from '#platform/principal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { mayHoldKeys, type Role, ROLES } from '../role.ts';
import { type AuditAction, recordAudit } from '../../audit-log/audit-record.table.ts';
import { mayManage } from './may-manage.ts';

export interface IssuedByOptions {
  /**
   * False keeps API keys in other people's names, for programs that must keep running. Links are always revoked.
   * Default true.
   */
  readonly revokeIssuedKeys?: boolean | undefined;
}

export interface RevokedIssued {
  readonly invitations: number;
  readonly passwordResets: number;
  readonly issuedApiKeys: number;
}

/** `role`: the issuer's new role; null for an account that is disabled or removed. */
export async function revokeIssued(
  tx: WriteTransaction,
  principal: Principal,
  issuer: {
    readonly organizationId: OrganizationId;
    readonly accountUserId: AccountUserId;
    readonly role: Role | null;
  },
  { revokeIssuedKeys = true }: IssuedByOptions,
  at: Date,
): Promise<RevokedIssued> {
  const { organizationId, accountUserId, role } = issuer;
  const roles = ROLES.filter((managed) => role === null || !mayManage({ grants: [role] }, managed));
  const input = { organizationId, accountUserId, roles, at };
  const invitations = await tx.all(REVOKE_INVITATIONS, input);
  const passwordResets = await tx.all(VOID_RESETS, input);
  const mayKeepKeys = !revokeIssuedKeys || role === 'owner' || role === 'admin';
  const issuedKeys = mayKeepKeys ? [] : await tx.all(REVOKE_KEYS, input);
  const ownKeys = role === null || mayHoldKeys(role) ? [] : await tx.all(REVOKE_OWN_KEYS, input);
  const revoked: readonly (readonly [AuditAction, readonly Revoked[]])[] = [
    ['invitation.revoked', invitations],
    ['account_user.password_reset_revoked', passwordResets],
    ['api_key.revoked', [...issuedKeys, ...ownKeys]],
  ];
  for (const [action, rows] of revoked)
    for (const { id, detail } of rows)
      await recordAudit(tx, { organizationId, at, action, ...actorOf(principal), subjectId: id, detail });
  return {
    invitations: invitations.length,
    passwordResets: passwordResets.length,
    issuedApiKeys: issuedKeys.length,
  };
}

interface Revoked {
  readonly id: string;
  readonly detail: string;
}
type Issued = Parameters<{
  organizationId: OrganizationId;
  accountUserId: AccountUserId;
  roles: readonly string[];
  at: Date;
}>;

/** SQL on tables of other modules: those modules depend on this one, so this one cannot import them. */
const REVOKE_INVITATIONS = statement(
  (issued: Issued) => sql<Revoked>`
    update invitation set revoked_at = ${issued.at}
     where organization_id = ${issued.organizationId} and invited_by = ${issued.accountUserId}
       and accepted_at is null and revoked_at is null and expires_at > ${issued.at} and role = any(${issued.roles}::text[])
    returning id, email as detail`,
);
const VOID_RESETS = statement(
  (issued: Issued) => sql<Revoked>`
    update password_reset set consumed_at = ${issued.at} from account_user target
     where password_reset.organization_id = ${issued.organizationId} and issued_by = ${issued.accountUserId}
       and consumed_at is null and expires_at > ${issued.at}
       and target.organization_id = password_reset.organization_id and target.id = password_reset.account_user_id
       and target.role = any(${issued.roles}::text[])
    returning target.id, target.email as detail`,
);
/** For a role that may not hold keys: all keys of the account user, including those that others created. */
const REVOKE_OWN_KEYS = statement(
  (issued: Issued) => sql<Revoked>`
    update api_key set revoked_at = ${issued.at}
     where organization_id = ${issued.organizationId} and account_user_id = ${issued.accountUserId} and revoked_at is null
    returning id, name as detail`,
);
const REVOKE_KEYS = statement(
  (issued: Issued) => sql<Revoked>`
    update api_key set revoked_at = ${issued.at}
     where organization_id = ${issued.organizationId} and created_by = ${issued.accountUserId}
       and account_user_id <> ${issued.accountUserId} and revoked_at is null
    returning id, name as detail`,
);
