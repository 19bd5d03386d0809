/** Starts adding a passkey: returns the options for the authenticator. Nothing changes until it responds. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { PASSKEY_CHALLENGE_SECONDS, PASSKEYS_MAX } from '../../config.ts';
import { checkOwnPassword, requireRecentSignIn } from '../require-step-up.step.ts';
import { sessionCaller } from '../session-caller.ts';
import { hasSecondFactor, listPasskeysOf } from '../second-factors/passkey.table.ts';
import { newChallenge } from './passkey-challenge.table.ts';
import { PASSKEY_ALGORITHMS, requireRelyingParty } from './require-relying-party.step.ts';
import { userHandleOf } from './verify-passkey.step.ts';

/**
 * Returns `PublicKeyCredentialCreationOptionsJSON`. Requires the password and, if the account already has a second
 * factor, a sign-in within the last ten minutes, which required it. An added passkey suffices to sign in, so the
 * person must unlock it (user verification).
 */
export async function startPasskey(context: SubgraphContext, password: string, appUrl: string): Promise<object> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const party = requireRelyingParty(appUrl);
  const account = await checkOwnPassword(context, password, { message: 'The password is wrong', field: 'password' });
  const { challenge, passkeys } = await context.database.write(organizationId, async (tx) => {
    const passkeys = await listPasskeysOf(tx, organizationId, accountUserId);
    if (await hasSecondFactor(tx, organizationId, accountUserId))
      await requireRecentSignIn(tx, context, 'adding another second factor');
    if (passkeys.length >= PASSKEYS_MAX)
      fail('VALIDATION_ERROR', `An account can have at most ${PASSKEYS_MAX} passkeys`);
    return { passkeys, challenge: await newChallenge(tx, { purpose: 'add', subjectId: sessionId }, now()) };
  });
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  return generateRegistrationOptions({
    rpName: new URL(appUrl).host,
    rpID: party.id,
    userName: account.email,
    userDisplayName: account.email,
    userID: userHandleOf(accountUserId),
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: PASSKEY_CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}
