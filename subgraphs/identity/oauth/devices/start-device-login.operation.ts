/** Starts a device login (RFC 8628, section 3.1; decision 9, D60). */
import { now } from '#platform/clock.ts';
import { networkOf } from '#platform/network-of.ts';
import { randomBytes, randomInt, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import {
  CLI_CLIENT_ID,
  CLI_CLIENT_NAME,
  DEVICE_LOGIN_SECONDS,
  POLL_SECONDS,
  STARTS_PER_ADDRESS,
} from '../../config.ts';
import { DeviceLoginTable } from './device-login.table.ts';
import { findClient } from '../oauth-client.table.ts';
import { takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { later } from '#kernel/time/duration.ts';
import type { OauthRefusal } from '../oauth-refusal.ts';
import { DEVICE_CODE_GRANT } from '../read-client-metadata.ts';
import { USER_CODE_HASH } from '../../secrets/secret-purposes.ts';
import { hashSecretToken, makeSecretToken } from '../../secrets/secret-token.ts';
import { displayName } from '../display-name.ts';
import { hashUserCode, makeUserCode, readUserCode } from './user-code.ts';

export interface StartDeviceLoginParams {
  readonly clientId?: string | null | undefined;
  readonly machineName?: string | null | undefined;
  readonly address: string;
}

export interface StartedDeviceLogin {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly interval: number;
}

/**
 * `appUrl` is the address where people sign in. Fails with `RATE_LIMIT_EXCEEDED` if the network address starts too
 * many.
 */
export async function startDeviceLogin(
  context: SubgraphContext,
  { clientId, machineName, address }: StartDeviceLoginParams,
  appUrl: string,
  sealing: Sealing,
): Promise<StartedDeviceLogin | OauthRefusal> {
  if (clientId == null) return { error: 'invalid_request', errorDescription: 'client_id is required' };
  const deviceCode = makeSecretToken(randomBytes(32));
  const userCode = makeUserCode(randomInt);
  const outcome = await context.database.system(
    async (tx): Promise<OauthRefusal | { readonly waitSeconds: number }> => {
      const createdAt = now();
      const waitSeconds = await takeTurn(tx, `device-login:${networkOf(address)}`, STARTS_PER_ADDRESS, createdAt);
      if (waitSeconds > 0) return { waitSeconds };
      const client =
        clientId === CLI_CLIENT_ID
          ? { name: CLI_CLIENT_NAME, grantTypes: [DEVICE_CODE_GRANT] }
          : await findClient(tx, clientId);
      if (!client)
        return {
          error: 'invalid_client',
          errorDescription: 'The client is not registered, or its registration has expired',
        };
      if (!client.grantTypes.includes(DEVICE_CODE_GRANT))
        return { error: 'unauthorized_client', errorDescription: 'The client did not register for the device grant' };
      await tx.em.insert(DeviceLoginTable, {
        id: randomUuid(),
        organizationId: null,
        accountUserId: null,
        sessionId: null,
        deviceCodeHash: hashSecretToken(deviceCode),
        userCodeHash: hashUserCode(readUserCode(userCode) ?? '', sealing.ring.current.derive(USER_CODE_HASH)),
        clientId,
        clientName: client.name,
        machineName: displayName(machineName) ?? client.name,
        address: displayName(address),
        intervalSeconds: POLL_SECONDS,
        nextPollAt: createdAt,
        createdAt,
        expiresAt: later(createdAt, DEVICE_LOGIN_SECONDS),
        decision: null,
        consumedAt: null,
      });
      return { waitSeconds: 0 };
    },
  );
  if ('error' in outcome) return outcome;
  if (outcome.waitSeconds > 0) return failForNow(outcome.waitSeconds);
  const verificationUri = `${appUrl}/activate`;
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: `${verificationUri}?user_code=${userCode}`,
    expiresIn: DEVICE_LOGIN_SECONDS,
    interval: POLL_SECONDS,
  };
}
