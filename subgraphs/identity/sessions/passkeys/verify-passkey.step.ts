/** Verifies an authenticator's signature. The challenge is used up permanently before the signature is checked. */
import type { AccountUserId } from '#kernel/ids.ts';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findPasskey, type Passkey, recordPasskeyUse } from '../second-factors/passkey.table.ts';
import { challengeOf, parseAuthentication } from './authenticator-response.ts';
import { type ChallengeUse, consumeChallenge } from './passkey-challenge.table.ts';
import type { RelyingParty } from '#schema/relying-party.ts';

export type VerifiedPasskey =
  | { readonly passkey: Passkey; readonly isVerified: true }
  /** The named passkey if the challenge is ours, so that its account can be notified; otherwise null. */
  | { readonly passkey: Passkey | null; readonly isVerified: false };

/** Runs in its own transactions, so that no failure restores a challenge or a counter. */
export async function verifyPasskey(
  { database }: SubgraphContext,
  input: unknown,
  use: ChallengeUse,
  party: RelyingParty,
): Promise<VerifiedPasskey> {
  const response = parseAuthentication(input);
  const challenge = response && challengeOf(response);
  if (!response || challenge === null) return { passkey: null, isVerified: false };
  const { isOurs, passkey } = await database.system(async (tx) => ({
    isOurs: await consumeChallenge(tx, challenge, use, now()),
    passkey: await findPasskey(tx, response.id),
  }));
  if (!isOurs || !passkey) return { passkey: null, isVerified: false };
  const counter = isOf(passkey, response.response.userHandle)
    ? await signedCounter(response, challenge, passkey, party)
    : null;
  const isVerified = counter !== null && (await database.system((tx) => recordPasskeyUse(tx, passkey, counter, now())));
  return { passkey, isVerified };
}

/** Checks the account that the authenticator names, if it names one (WebAuthn, section 7.2, step 6). */
function isOf({ accountUserId }: Passkey, userHandle: string | null | undefined): boolean {
  return userHandle == null || userHandle === userHandleOf(accountUserId).toString('base64url');
}

/** Account id stored in an authenticator: random, without personal data. */
export function userHandleOf(accountUserId: AccountUserId): Buffer<ArrayBuffer> {
  return Buffer.from(accountUserId.replaceAll('-', ''), 'hex');
}

/**
 * Returns the authenticator's counter; `null` if signature, origin, host or counter is wrong, or the person was not
 * verified.
 */
async function signedCounter(
  response: AuthenticationResponseJSON,
  challenge: string,
  { credentialId, publicKey, counter }: Passkey,
  { id, origin }: RelyingParty,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // The library throws for each of these errors, and for malformed CBOR.
    return null;
  }
}
