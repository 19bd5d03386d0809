/** Limits the number of active API keys of an organization, since every key has a rate limit of its own. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { fail } from '#kernel/errors.ts';
import { API_KEYS_MAX } from '../config.ts';

/** Locks the count until the transaction ends. Fails with `VALIDATION_ERROR`. */
export async function requireRoomForKey(tx: WriteTransaction, organizationId: OrganizationId, at: Date): Promise<void> {
  if (!(await hasRoomForKey(tx, organizationId, at))) fail('VALIDATION_ERROR', NO_ROOM_FOR_KEY);
}

export const NO_ROOM_FOR_KEY = `The organization has ${API_KEYS_MAX} active API keys, which is the maximum. Revoke one first`;

/** Locks the count until the transaction ends. True if another key is allowed. */
export async function hasRoomForKey(tx: WriteTransaction, organizationId: OrganizationId, at: Date): Promise<boolean> {
  await lockOrganization(tx, 'apiKeys', organizationId);
  const { count } = await tx.one(COUNT_ACTIVE_KEYS, { organizationId, at });
  return count < API_KEYS_MAX;
}

const COUNT_ACTIVE_KEYS = statement(
  ({ organizationId, at }: Parameters<{ organizationId: OrganizationId; at: Date }>) => sql<{ count: number }>`
    select count(*)::int as count from api_key
     where organization_id = ${organizationId} and revoked_at is null and (expires_at is null or expires_at > ${at})`,
);
