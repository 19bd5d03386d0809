/** Sessions of account users. Only the hash of a token is stored. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { LookUps } from '#platform/database/look-up.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Role } from '../accounts/role.ts';

export const SessionTable = defineEntity({
  name: 'Session',
  tableName: 'session',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    signedInAt: p.datetime(3),
    /** Accurate to the minute. */
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    address: p.text(),
    userAgent: p.text(),
    /** True if the session is switched to the sample data of its organization, if it exists (decision 58). */
    isInSample: p.boolean().default(false),
  },
  uniques: [{ name: 'session_token_hash_unique', properties: ['tokenHash'] }],
  indexes: [{ name: 'session_account_user_index', properties: ['organizationId', 'accountUserId'] }],
});

export type Session = InferEntity<typeof SessionTable>;

const db = tables<typeof SessionTable>();

/** Fields that the gateway needs of an active session. */
export interface ActiveSession {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly accountUserId: AccountUserId;
  readonly email: string;
  readonly organizationName: string;
  readonly role: Role;
  /** The sample organization that the session is in; null if it is in its own. */
  readonly sampleId: string | null;
  readonly expiresAt: string;
  readonly isUseUnrecorded: boolean;
  /** True if its organization requires a second factor that its account user does not have. */
  readonly lacksSecondFactor: boolean;
  /** First month of its organization's fiscal year. */
  readonly fiscalYearStart: number;
}

export interface Moments {
  readonly now: Date;
  /** A session last seen before this instant is idle. */
  readonly idleBefore: Date;
  readonly recordUseBefore: Date;
}

const FIND_ACTIVE_SESSION = statement(
  (input: Parameters<{ tokenHash: Buffer; now: Date; idleBefore: Date; recordUseBefore: Date }>) => sql<ActiveSession>`
    select session.organization_id, session.id, session.account_user_id, account_user.email, account_user.role,
           organization.name as organization_name, organization.fiscal_year_start, sample.organization_id as sample_id,
           ${sql.raw(isoMillis('session.expires_at'))} as expires_at,
           session.last_seen_at < ${input.recordUseBefore} as is_use_unrecorded,
           organization.second_factor_required_at is not null
             and not exists (select 1 from second_factor factor
                              where factor.organization_id = session.organization_id and factor.account_user_id = session.account_user_id
                                and factor.confirmed_at is not null)
             and not exists (select 1 from passkey
                              where passkey.organization_id = session.organization_id and passkey.account_user_id = session.account_user_id)
             as lacks_second_factor
      from session
      join organization on organization.organization_id = session.organization_id
      join account_user on account_user.organization_id = session.organization_id and account_user.id = session.account_user_id
      left join organization sample on session.is_in_sample and sample.sample_of = session.organization_id and sample.deleted_at is null
            and account_user.role in ('owner', 'admin')
     where account_user.disabled_at is null and session.token_hash = ${input.tokenHash} and session.ended_at is null and session.expires_at > ${input.now} and session.last_seen_at > ${input.idleBefore}`,
);

/** Finds the session with this hash, unless it has ended. One index lookup on every request. */
export function findActiveSession(
  lookUps: LookUps,
  tokenHash: Buffer,
  { now, idleBefore, recordUseBefore }: Moments,
): Promise<ActiveSession | null> {
  return lookUps.find(FIND_ACTIVE_SESSION, { tokenHash, now, idleBefore, recordUseBefore });
}

const RECORD_SIGHT = statement((input: Parameters<{ organizationId: OrganizationId; id: string; now: Date }>) =>
  db
    .updateTable('session')
    .set({ lastSeenAt: input.now })
    .where('organizationId', '=', input.organizationId)
    .where('id', '=', input.id)
    .where('endedAt', 'is', null),
);

export async function recordSight(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  now: Date,
): Promise<void> {
  await tx.run(RECORD_SIGHT, { organizationId, id, now });
}

/** Active sessions, newest first. */
export function listActiveSessions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  now: Date,
  idleBefore: Date,
): Promise<Session[]> {
  return tx.em.find(
    SessionTable,
    { organizationId, accountUserId, endedAt: null, expiresAt: { $gt: now }, lastSeenAt: { $gt: idleBefore } },
    { orderBy: { signedInAt: 'desc', id: 'desc' } },
  );
}

/** Switches a session to the sample data of its organization, or back, from its next request on. */
export async function setInSample(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  isInSample: boolean,
): Promise<void> {
  await tx.em.nativeUpdate(SessionTable, { organizationId, id, endedAt: null }, { isInSample });
}

/** Switches every session of the organization back to its own data. */
export async function leaveSamples(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.em.nativeUpdate(SessionTable, { organizationId, isInSample: true }, { isInSample: false });
}

/** Time of the session's sign-in; null if the session has ended. */
export async function signedInAt(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Date | null> {
  const session = await tx.em.findOne(SessionTable, { organizationId, id, endedAt: null });
  return session?.signedInAt ?? null;
}

/** Replaces the session's token. Returns the session's expiry, or `null` if it has ended. */
export async function replaceToken(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  tokenHash: Buffer,
): Promise<Date | null> {
  if ((await tx.em.nativeUpdate(SessionTable, { organizationId, id, endedAt: null }, { tokenHash })) !== 1) return null;
  return (await tx.em.findOneOrFail(SessionTable, { organizationId, id })).expiresAt;
}

/** Network address of the session's sign-in. */
export async function addressOfSession(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<string> {
  return (await tx.em.findOne(SessionTable, { organizationId, id }))?.address ?? '';
}

/** Ends one session of an account user. Returns whether it was open. */
export async function endSession(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  id: string,
  now: Date,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(SessionTable, { organizationId, accountUserId, id, endedAt: null }, { endedAt: now })) ===
    1
  );
}

/** Ends every session of an account user except this one. Returns their number. */
export function endOtherSessions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  keptId: string,
  now: Date,
): Promise<number> {
  return tx.em.nativeUpdate(
    SessionTable,
    { organizationId, accountUserId, id: { $ne: keptId }, endedAt: null },
    { endedAt: now },
  );
}

const KNOWN_ADDRESSES = statement(
  ({ organizationId, accountUserId }: Parameters<{ organizationId: OrganizationId; accountUserId: AccountUserId }>) =>
    db
      .selectFrom('session')
      .select('address')
      .distinct()
      .where('organizationId', '=', organizationId)
      .where('accountUserId', '=', accountUserId)
      .limit(200),
);

/** Addresses from which this account user has signed in recently. */
export async function knownAddresses(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<string[]> {
  const rows = await tx.all(KNOWN_ADDRESSES, { organizationId, accountUserId });
  return rows.map(({ address }) => address);
}

const ADDRESSES_OF_BROWSER = statement(
  (input: Parameters<{ organizationId: OrganizationId; accountUserId: AccountUserId; userAgent: string }>) =>
    db
      .selectFrom('session')
      .select('address')
      .distinct()
      .where('organizationId', '=', input.organizationId)
      .where('accountUserId', '=', input.accountUserId)
      .where('userAgent', '=', input.userAgent)
      .limit(200),
);

/** Addresses from which this account user has used this browser recently. */
export async function addressesOfBrowser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  userAgent: string,
): Promise<string[]> {
  const rows = await tx.all(ADDRESSES_OF_BROWSER, { organizationId, accountUserId, userAgent });
  return rows.map(({ address }) => address);
}

const DELETE_ENDED_SESSIONS = statement(
  ({ before }: Parameters<{ before: Date }>) =>
    sql<object>`delete from session where ended_at < ${before} or expires_at < ${before}`,
);

export async function deleteEndedSessions(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.run(DELETE_ENDED_SESSIONS, { before });
}
