/**
 * Ends all access of an account user at once, including pending access: sessions, keys, unfinished sign-ins, codes,
 * devices, links, and everything it issued to others.
 */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Principal } from '#platform/principal.ts';
import { SessionTable } from '../../sessions/session.table.ts';
import { voidResets } from './password-reset.table.ts';
import { type IssuedByOptions, type RevokedIssued, revokeIssued } from './revoke-issued.step.ts';
import { deleteAttemptsOf } from '../../sessions/sign-in/sign-in-attempt.table.ts';

export interface EndedAccess extends RevokedIssued {
  readonly sessions: number;
  /** The account user's own keys. */
  readonly apiKeys: number;
}

/** Returns what was ended. */
export async function endAccess(
  tx: WriteTransaction,
  principal: Principal,
  { organizationId, accountUserId }: { readonly organizationId: OrganizationId; readonly accountUserId: AccountUserId },
  options: IssuedByOptions,
  at: Date,
): Promise<EndedAccess> {
  const sessions = await endAllSessions(tx, organizationId, accountUserId, at);
  const user = { organizationId, accountUserId, at };
  const keys = await tx.all(END_KEYS, user);
  for (const ending of [DENY_DEVICES, DELETE_CODES, DELETE_REQUESTS]) await tx.run(ending, user);
  await voidResets(tx, organizationId, accountUserId, at);
  const issuer = { organizationId, accountUserId, role: null };
  return { sessions, apiKeys: keys.length, ...(await revokeIssued(tx, principal, issuer, options, at)) };
}

type User = Parameters<{ organizationId: OrganizationId; accountUserId: AccountUserId; at: Date }>;

/** SQL on tables of other modules: those modules depend on this one, so this one cannot import them. */
const END_KEYS = statement(
  (user: User) => sql<object>`
    update api_key set revoked_at = ${user.at}
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId} and revoked_at is null returning 1`,
);
const DENY_DEVICES = statement(
  (user: User) => sql<object>`
    update device_login set decision = 'denied'
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId} and consumed_at is null`,
);
const DELETE_CODES = statement(
  (user: User) => sql<object>`
    delete from authorization_code
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId} and consumed_at is null`,
);
const DELETE_REQUESTS = statement(
  (user: User) => sql<object>`
    delete from authorization_request
     where organization_id = ${user.organizationId} and account_user_id = ${user.accountUserId} and decided_at is null`,
);

/** Ends sessions and sign-ins that wait for the second factor. Returns the number of sessions. */
export async function endAllSessions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  at: Date,
): Promise<number> {
  const sessions = await tx.em.nativeUpdate(
    SessionTable,
    { organizationId, accountUserId, endedAt: null },
    { endedAt: at },
  );
  await deleteAttemptsOf(tx, organizationId, accountUserId);
  return sessions;
}
