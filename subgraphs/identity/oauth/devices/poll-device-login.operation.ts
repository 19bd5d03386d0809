/** Polls a device login (RFC 8628, section 3.4). Once it is approved, returns its API key, only once. */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { QUERY_SCOPES } from '#schema/scopes.ts';
import { CLI_CLIENT_ID, DEVICE_KEY_DAYS, SLOW_DOWN_SECONDS } from '../../config.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { consumeDeviceLogin, findApprover, recordPoll } from './device-login.table.ts';
import { holdEnabled } from '../../accounts/account-user.table.ts';
import { issueApiKey } from '../../keys/issue-api-key.step.ts';
import { hasRoomForKey, NO_ROOM_FOR_KEY } from '../../keys/require-room-for-key.step.ts';
import { findClient, touchClient } from '../oauth-client.table.ts';
import { daysLater } from '#kernel/time/duration.ts';
import type { OauthRefusal } from '../oauth-refusal.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { type TokenAnswer, tokenAnswer } from '../token-answer.ts';

export interface DevicePoll {
  readonly clientId?: string | null | undefined;
  readonly deviceCode?: string | null | undefined;
}

/** A poll that arrives too early gets `slow_down`, whatever the state, and the interval grows by five seconds. */
export async function pollDeviceLogin(
  context: SubgraphContext,
  { clientId, deviceCode }: DevicePoll,
  sealing: Sealing,
): Promise<TokenAnswer | OauthRefusal> {
  if (clientId == null || deviceCode == null)
    return { error: 'invalid_request', errorDescription: 'client_id and device_code are required' };
  return context.database.system(async (tx) => {
    const at = now();
    if (clientId !== CLI_CLIENT_ID && !(await findClient(tx, clientId))) {
      return {
        error: 'invalid_client',
        errorDescription: 'The client is not registered, or its registration has expired',
      };
    }
    if (!hasSecretTokenFormat(deviceCode)) return INVALID_GRANT;
    const codeHash = hashSecretToken(deviceCode);
    const approver = await findApprover(tx, codeHash, clientId);
    // Locks the account, then the device, in the same order as a removal; the opposite order would deadlock.
    if (approver !== null) await holdEnabled(tx, approver.organizationId, approver.accountUserId);
    const poll = await recordPoll(tx, codeHash, clientId, SLOW_DOWN_SECONDS, at);
    if (!poll || poll.isConsumed) return INVALID_GRANT;
    if (poll.isExpired) return { error: 'expired_token', errorDescription: 'The device code has expired: start again' };
    if (poll.isEarly) return { error: 'slow_down', errorDescription: 'Wait five seconds longer between two polls' };
    const isPending = poll.decision === null || (poll.decision === 'approved' && approver === null);
    if (isPending)
      return { error: 'authorization_pending', errorDescription: 'The login has not been approved or denied yet' };
    return poll.decision === 'denied'
      ? { error: 'access_denied', errorDescription: 'The login was denied' }
      : issueKey(tx, poll.id, at, sealing);
  });
}

const INVALID_GRANT: OauthRefusal = {
  error: 'invalid_grant',
  errorDescription: 'The device code is wrong, used, or was issued to another client',
};

async function issueKey(
  tx: WriteTransaction,
  id: string,
  at: Date,
  sealing: Sealing,
): Promise<TokenAnswer | OauthRefusal> {
  const login = await consumeDeviceLogin(tx, id, at);
  if (login?.organizationId == null || login.accountUserId == null) return INVALID_GRANT;
  const { organizationId, accountUserId, machineName, clientId, clientName } = login;
  if (!(await hasRoomForKey(tx, organizationId, at)))
    return { error: 'access_denied', errorDescription: NO_ROOM_FOR_KEY };
  const { secret, apiKey } = await issueApiKey(
    tx,
    {
      organizationId,
      accountUserId,
      createdBy: accountUserId,
      name: machineName,
      description: null,
      environment: 'live',
      scopes: QUERY_SCOPES,
      createdAt: at,
      expiresAt: daysLater(at, DEVICE_KEY_DAYS),
      client: { id: clientId, name: clientName },
    },
    sealing,
  );
  await touchClient(tx, clientId, at);
  await recordAudit(tx, {
    organizationId,
    at,
    action: 'api_key.created',
    actorKind: 'oauth-client',
    accountUserId,
    subjectId: apiKey.id,
    detail: machineName,
  });
  return tokenAnswer(secret, QUERY_SCOPES, DEVICE_KEY_DAYS);
}
