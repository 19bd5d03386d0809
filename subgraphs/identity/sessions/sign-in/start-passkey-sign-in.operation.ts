/** Starts a sign-in with a passkey, either by itself or as the second step after a password. */
import { now } from '#platform/clock.ts';
import { networkOf } from '#platform/network-of.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { PASSKEY_CHALLENGE_SECONDS, STARTS_PER_ADDRESS } from '../../config.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { takeTurn } from '../../throttling/throttle.table.ts';
import { newChallenge } from '../passkeys/passkey-challenge.table.ts';
import { requireRelyingParty } from '../passkeys/require-relying-party.step.ts';
import { listPasskeysOf } from '../second-factors/passkey.table.ts';
import { findOpenAttempt } from './sign-in-attempt.table.ts';

/**
 * Returns `PublicKeyCredentialRequestOptionsJSON`. An account's passkeys are listed only after its password; without
 * an attempt, any passkey the browser finds may respond. Fails with `RATE_LIMIT_EXCEEDED`, and with `UNAUTHORIZED` for
 * a void attempt.
 */
export async function startPasskeySignIn(
  { database }: SubgraphContext,
  { attempt: token, address }: { attempt?: string | null | undefined; address: string },
  appUrl: string,
): Promise<object> {
  const party = requireRelyingParty(appUrl);
  const begun = await database.system(async (tx) => {
    const time = now();
    const waitSeconds = await takeTurn(tx, `passkey-sign-in:${networkOf(address)}`, STARTS_PER_ADDRESS, time);
    if (waitSeconds > 0) return { waitSeconds };
    if (token == null) {
      return { challenge: await newChallenge(tx, { purpose: 'sign-in', subjectId: null }, time), passkeys: [] };
    }
    const attempt = hasSecretTokenFormat(token) ? await findOpenAttempt(tx, hashSecretToken(token), time) : null;
    if (!attempt) return null;
    return {
      passkeys: await listPasskeysOf(tx, attempt.organizationId, attempt.accountUserId),
      challenge: await newChallenge(tx, { purpose: 'second-step', subjectId: attempt.id }, time),
    };
  });
  if (begun === null) return fail('UNAUTHORIZED', 'The sign-in timed out: start again');
  if (begun.challenge === undefined) return failForNow(begun.waitSeconds);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: Buffer.from(begun.challenge, 'base64url'),
    timeout: PASSKEY_CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    allowCredentials: begun.passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
}
