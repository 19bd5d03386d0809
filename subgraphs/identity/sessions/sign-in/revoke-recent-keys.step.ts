/**
 * Revokes API keys and connected devices that an account user created since an instant, because a stolen session may
 * have created them.
 */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Principal } from '#platform/principal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';

export async function revokeRecentKeys(
  tx: WriteTransaction,
  principal: Principal,
  user: { readonly organizationId: OrganizationId; readonly accountUserId: AccountUserId },
  since: Date,
  at: Date,
): Promise<void> {
  const input = { ...user, since, at };
  for (const ending of [DENY_DEVICES, DELETE_CODES]) await tx.run(ending, input);
  for (const { id, name } of await tx.all(REVOKE_KEYS, input))
    await recordAudit(tx, {
      organizationId: user.organizationId,
      at,
      action: 'api_key.revoked',
      ...actorOf(principal),
      subjectId: id,
      detail: name,
    });
}

type User = Parameters<{ organizationId: OrganizationId; accountUserId: AccountUserId; since: Date; at: Date }>;

/**
 * SQL on tables of other modules: those modules depend on this one, so this one cannot import them. Includes keys in
 * other people's names.
 */
const REVOKE_KEYS = statement(
  (user: User) => sql<{ id: string; name: string }>`
    update api_key set revoked_at = ${user.at}
     where organization_id = ${user.organizationId} and (account_user_id = ${user.accountUserId} or created_by = ${user.accountUserId})
       and created_at >= ${user.since} and revoked_at is null
    returning id, name`,
);
/** Device logins whose key has not been fetched yet. */
const DENY_DEVICES = statement(
  (user: User) => sql<object>`
    update device_login set decision = 'denied'
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId}
       and created_at >= ${user.since} and consumed_at is null`,
);
const DELETE_CODES = statement(
  (user: User) => sql<object>`
    delete from authorization_code
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId}
       and created_at >= ${user.since} and consumed_at is null`,
);
