/**
 * Adds a passkey after its authenticator has responded. Sign-ins then accept it as the second step after the password,
 * or by itself.
 */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { checkName } from '../../accounts/check-account.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { newRecoveryCodes } from '../second-factors/new-recovery-codes.step.ts';
import { hasSecondFactor, insertPasskey } from '../second-factors/passkey.table.ts';
import { renewSession } from '../renew-session.step.ts';
import { sessionCaller } from '../session-caller.ts';
import { challengeOf, parseRegistration } from './authenticator-response.ts';
import { consumeChallenge } from './passkey-challenge.table.ts';
import type { RelyingParty } from '#schema/relying-party.ts';
import { PASSKEY_ALGORITHMS, requireRelyingParty } from './require-relying-party.step.ts';
import { type PasskeyView, toPasskey } from './to-passkey.ts';

export interface AddedPasskey {
  readonly passkey: PasskeyView;
  /** New codes with the account's first second factor; otherwise null, and existing codes stay valid. */
  readonly recoveryCodes: string[] | null;
  readonly session: { token: string; expiresAt: Date };
}

/**
 * Fails with `VALIDATION_ERROR` for a response to a challenge that is not this session's, and for a passkey that
 * another account has.
 */
export async function confirmPasskey(
  context: SubgraphContext,
  { name: typed, response: input }: { name: string; response: unknown },
  sealing: Sealing,
  appUrl: string,
): Promise<AddedPasskey> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const party = requireRelyingParty(appUrl);
  const name = checkName('name', typed);
  const response = parseRegistration(input) ?? refuse();
  const challenge = challengeOf(response) ?? refuse();
  const use = { purpose: 'add', subjectId: sessionId } as const;
  if (!(await context.database.write(organizationId, (tx) => consumeChallenge(tx, challenge, use, now())))) refuse();
  const { credential, credentialDeviceType } = (await registrationOf(response, challenge, party)) ?? refuse();
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const isFirst = !(await hasSecondFactor(tx, organizationId, accountUserId));
    const passkey = {
      organizationId,
      id: randomUuid(),
      accountUserId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.response.transports ?? [],
      isSynced: credentialDeviceType === 'multiDevice',
      name,
      createdAt: at,
    };
    if (!(await insertPasskey(tx, passkey))) fail('VALIDATION_ERROR', 'This passkey already belongs to an account');
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'passkey.added',
      ...actorOf(context.principal),
      subjectId: passkey.id,
      detail: name,
    });
    const recoveryCodes = isFirst ? await newRecoveryCodes(tx, organizationId, accountUserId, sealing) : null;
    const session = await renewSession(tx, organizationId, sessionId);
    return { passkey: toPasskey(passkey), recoveryCodes, session };
  });
}

async function registrationOf(response: RegistrationResponseJSON, challenge: string, { id, origin }: RelyingParty) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    return registrationInfo ?? null;
  } catch {
    // The library throws for any error, including malformed CBOR.
    return null;
  }
}

function refuse(): never {
  return fail('VALIDATION_ERROR', 'The passkey could not be added: start again');
}
