/**
 * Starts setting up a second factor; it is inactive until a code confirms it. A stolen session must not lock out its
 * owner.
 */
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { offerSecondFactor } from './second-factor.table.ts';
import { checkOwnPassword } from '../require-step-up.step.ts';
import { base32 } from '../../secrets/base32.ts';
import { SECOND_FACTOR_SEAL } from '../../secrets/secret-purposes.ts';
import { sessionCaller } from '../session-caller.ts';
import { otpauthUri, TOTP_SECRET_BYTES } from './totp.ts';

/**
 * `issuer` is the name shown in an authenticator app. Requires the password, because even a recent session can be
 * stolen.
 */
export async function startSecondFactor(
  context: SubgraphContext,
  sealing: Sealing,
  issuer: string,
  password: string,
): Promise<{ secret: string; uri: string }> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  const account = await checkOwnPassword(context, password, { message: 'The password is wrong', field: 'password' });
  const secret = randomBytes(TOTP_SECRET_BYTES);
  const sealed = sealing.seal(secret.toString('base64'), SECOND_FACTOR_SEAL, accountUserId);
  return context.database.write(organizationId, async (tx) => {
    if (!(await offerSecondFactor(tx, organizationId, accountUserId, sealed, now())))
      fail('VALIDATION_ERROR', 'The second factor is already on');
    return { secret: base32(secret), uri: otpauthUri(secret, issuer, account.email) };
  });
}
