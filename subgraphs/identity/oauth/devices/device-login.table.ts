/** Device logins: a program waits while a person enters its code. A login has no owner until a session claims it. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const DeviceLoginTable = defineEntity({
  name: 'DeviceLogin',
  tableName: 'device_login',
  ...tenantTable('identity'),
  properties: {
    id: p.uuid().primary(),
    /** Organization of the session that claimed it; null until then. */
    organizationId: p.uuid().nullable(),
    accountUserId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    /** SHA-256 of the device code, which has 256 random bits. */
    deviceCodeHash: p.blob(),
    /** HMAC-SHA256 of the user code with a key derived from the service's secret, because the code is short. */
    userCodeHash: p.blob(),
    clientId: p.text(),
    clientName: p.text(),
    machineName: p.text(),
    /** Network address that started it; null if the login is older than this column. */
    address: p.text().nullable(),
    intervalSeconds: p.integer(),
    nextPollAt: p.datetime(3),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    decision: p.enum(['approved', 'denied']).nullable(),
    consumedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { name: 'device_login_device_code_unique', properties: ['deviceCodeHash'] },
    { name: 'device_login_user_code_unique', properties: ['userCodeHash'] },
  ],
});

export type DeviceLogin = InferEntity<typeof DeviceLoginTable>;

export interface Claimant {
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  readonly sessionId: string;
}

/**
 * Binds the login with this code to an account user permanently, and to the latest session that asks, so that the
 * person can continue after a new sign-in.
 */
export async function claimDeviceLogin(
  tx: WriteTransaction,
  userCodeHash: Buffer,
  { organizationId, accountUserId, sessionId }: Claimant,
  now: Date,
): Promise<DeviceLogin | null> {
  const isTheirs = [{ accountUserId: null }, { organizationId, accountUserId }];
  const open = { userCodeHash, expiresAt: { $gt: now }, decision: null, $or: isTheirs };
  const claimed = await tx.em.nativeUpdate(DeviceLoginTable, open, { organizationId, accountUserId, sessionId });
  return claimed === 1 ? tx.em.findOne(DeviceLoginTable, { userCodeHash }) : null;
}

/** Records the decision of the session that claimed the login, once. */
export async function decideDeviceLogin(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  sessionId: string,
  id: string,
  decision: 'approved' | 'denied',
  now: Date,
): Promise<DeviceLogin | null> {
  const open = { organizationId, id, sessionId, decision: null, expiresAt: { $gt: now } };
  if ((await tx.em.nativeUpdate(DeviceLoginTable, open, { decision })) !== 1) return null;
  return tx.em.findOne(DeviceLoginTable, { organizationId, id });
}

export interface Poll {
  readonly id: string;
  readonly isEarly: boolean;
  readonly isExpired: boolean;
  readonly isConsumed: boolean;
  readonly decision: 'approved' | 'denied' | null;
}

const APPROVER = statement(
  ({ deviceCodeHash, clientId }: Parameters<{ deviceCodeHash: Buffer; clientId: string }>) =>
    sql<{
      organizationId: OrganizationId;
      accountUserId: AccountUserId;
    }>`select organization_id, account_user_id from device_login
      where device_code_hash = ${deviceCodeHash} and client_id = ${clientId} and decision = 'approved' and consumed_at is null`,
);

/** Returns the account user who approved a login whose key has not been issued; null if there is none. */
export function findApprover(
  tx: WriteTransaction,
  deviceCodeHash: Buffer,
  clientId: string,
): Promise<{ readonly organizationId: OrganizationId; readonly accountUserId: AccountUserId } | null> {
  return tx.first(APPROVER, { deviceCodeHash, clientId });
}

type PollInput = Parameters<{ deviceCodeHash: Buffer; clientId: string; slowDownSeconds: number; now: Date }>;

const RECORD_POLL = statement(
  ({ deviceCodeHash, clientId, slowDownSeconds, now }: PollInput) => sql<Poll>`
    with before as (
      select id, next_poll_at > ${now} as is_early from device_login
       where device_code_hash = ${deviceCodeHash} and client_id = ${clientId} for update
    )
    update device_login
       set interval_seconds = interval_seconds + case when is_early then ${slowDownSeconds} else 0 end,
           next_poll_at = ${now}::timestamptz + make_interval(secs => interval_seconds + case when is_early then ${slowDownSeconds} else 0 end)
      from before
     where device_login.id = before.id
    returning device_login.id, is_early, expires_at <= ${now} as is_expired, consumed_at is not null as is_consumed, decision`,
);

/** Records a poll. A poll that arrives too early lengthens the interval (RFC 8628, section 3.5). */
export function recordPoll(
  tx: WriteTransaction,
  deviceCodeHash: Buffer,
  clientId: string,
  slowDownSeconds: number,
  now: Date,
): Promise<Poll | null> {
  return tx.first(RECORD_POLL, { deviceCodeHash, clientId, slowDownSeconds, now });
}

/** Uses up an approved login. Only one of several concurrent polls gets the key. */
export async function consumeDeviceLogin(tx: WriteTransaction, id: string, now: Date): Promise<DeviceLogin | null> {
  if (
    (await tx.em.nativeUpdate(
      DeviceLoginTable,
      { id, decision: 'approved', consumedAt: null, expiresAt: { $gt: now } },
      { consumedAt: now },
    )) !== 1
  )
    return null;
  return tx.em.findOne(DeviceLoginTable, { id });
}

export async function deleteOldDeviceLogins(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(DeviceLoginTable, { expiresAt: { $lt: before } });
}
