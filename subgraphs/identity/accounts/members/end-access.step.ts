/** Ends at once whatever an account user can get in with, or is about to: sessions, keys, half-made sign-ins, codes, devices, links. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import { voidResets } from './password-reset.table.ts';
import { deleteAttemptsOf } from '../../sessions/sign-in/sign-in-attempt.table.ts';

export interface EndedAccess {
  readonly sessions: number;
  readonly apiKeys: number;
}

/** How much was open. */
export async function endAccess(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  at: Date,
): Promise<EndedAccess> {
  const sessions = await endAllSessions(em, organizationId, accountUserId, at);
  const keys = await query(
    em,
    `
    update api_key set revoked_at = $3 where organization_id = $1 and account_user_id = $2 and revoked_at is null returning 1`,
    [organizationId, accountUserId, at],
  );
  await query(
    em,
    `
    update device_login set decision = 'denied'
     where organization_id = $1 and account_user_id = $2 and consumed_at is null`,
    [organizationId, accountUserId],
  );
  await query(
    em,
    'delete from authorization_code where organization_id = $1 and account_user_id = $2 and consumed_at is null',
    [organizationId, accountUserId],
  );
  await query(
    em,
    'delete from authorization_request where organization_id = $1 and account_user_id = $2 and decided_at is null',
    [organizationId, accountUserId],
  );
  await voidResets(em, organizationId, accountUserId, at);
  return { sessions, apiKeys: keys.length };
}

/** Sessions, and sign-ins that wait for the second factor. Says how many sessions. */
export async function endAllSessions(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  at: Date,
): Promise<number> {
  const sessions = await query(
    em,
    `
    update session set ended_at = $3 where organization_id = $1 and account_user_id = $2 and ended_at is null returning 1`,
    [organizationId, accountUserId, at],
  );
  await deleteAttemptsOf(em, organizationId, accountUserId);
  return sessions.length;
}
