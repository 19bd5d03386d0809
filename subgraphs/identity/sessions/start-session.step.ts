/** Starts every session, with a new token. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import { fail } from '#kernel/errors.ts';
import { SESSION_SECONDS } from '../config.ts';
import { later } from '#kernel/time/duration.ts';
import { networkOf } from '#platform/network-of.ts';
import { hashSecretToken, makeSecretToken } from '../secrets/secret-token.ts';
import { storableText } from './storable-text.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { addressesOfBrowser, SessionTable } from './session.table.ts';
import { holdEnabled } from '../accounts/account-user.table.ts';

export interface StartSessionParams {
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * `token` is returned only once. A browser that this account has not used from this network is recorded in the audit
 * log.
 */
export async function startSession(
  tx: WriteTransaction,
  { organizationId, accountUserId, address, userAgent }: StartSessionParams,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  // Locked until the session exists: a user disabled at the same time gets no session, or it is ended with the others.
  if (!(await holdEnabled(tx, organizationId, accountUserId))) fail('UNAUTHORIZED', 'This account is disabled');
  const id = randomUuid();
  const token = makeSecretToken(randomBytes(32));
  const expiresAt = later(now, SESSION_SECONDS);
  const known = await addressesOfBrowser(tx, organizationId, accountUserId, storableText(userAgent));
  const isNewDevice = !known.some((one) => networkOf(one) === networkOf(address));
  await tx.em.insert(SessionTable, {
    organizationId,
    id,
    accountUserId,
    tokenHash: hashSecretToken(token),
    signedInAt: now,
    lastSeenAt: now,
    expiresAt,
    endedAt: null,
    address: storableText(address),
    userAgent: storableText(userAgent),
  });
  const record = {
    organizationId,
    at: now,
    actorKind: 'session',
    accountUserId,
    credentialId: id,
    subjectId: id,
  } as const;
  if (isNewDevice)
    await recordAudit(tx, { ...record, action: 'session.new_device', detail: storableText(`${address} ${userAgent}`) });
  await recordAudit(tx, { ...record, action: 'session.started', detail: storableText(address) });
  return { token, expiresAt };
}
