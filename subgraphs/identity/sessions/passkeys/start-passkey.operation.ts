/** Begins to add a passkey: what the browser hands to an authenticator. Nothing changes until that has answered. */
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { fail } from '../../../../schema/errors.ts';
import { PASSKEY_CHALLENGE_SECONDS, PASSKEYS_MAX } from '../../config.ts';
import { checkOwnPassword, requireRecentSignIn } from '../require-step-up.step.ts';
import { sessionCaller } from '../session-caller.ts';
import { hasSecondFactor, listPasskeysOf } from '../second-factors/passkey.table.ts';
import { newChallenge } from './passkey-challenge.table.ts';
import { PASSKEY_ALGORITHMS, requireRelyingParty } from './require-relying-party.step.ts';
import { userHandleOf } from './verify-passkey.step.ts';

/**
 * `PublicKeyCredentialCreationOptionsJSON`. Needs the password; and where there is a second factor already, a sign-in of the last
 * ten minutes, which asked for it. An added passkey signs in by itself: it is one that the person unlocks.
 */
export async function startPasskey(context: SubgraphContext, password: string, appUrl: string): Promise<object> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const party = requireRelyingParty(appUrl);
  const account = await checkOwnPassword(context, password, { message: 'The password is wrong', field: 'password' });
  const { challenge, passkeys } = await context.database.forOrganization(organizationId, async (em) => {
    const passkeys = await listPasskeysOf(em, organizationId, accountUserId);
    if (await hasSecondFactor(em, organizationId, accountUserId))
      await requireRecentSignIn(em, context, 'another second factor is added');
    if (passkeys.length >= PASSKEYS_MAX) fail('VALIDATION_ERROR', `An account has at most ${PASSKEYS_MAX} passkeys`);
    return { passkeys, challenge: await newChallenge(em, { purpose: 'add', subjectId: sessionId }, now()) };
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
