/** Second step of a sign-in: a passkey of the account whose password was entered. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { SECOND_FACTOR_GUESSES_MAX } from '../../config.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { requireRelyingParty } from '../passkeys/require-relying-party.step.ts';
import { verifyPasskey } from '../passkeys/verify-passkey.step.ts';
import { finishAttempt, type SecondStepAnswer, VOID } from './finish-attempt.step.ts';
import { takeGuess } from './sign-in-attempt.table.ts';

/** A passkey of another account counts as wrong, and uses one of the attempt's guesses. */
export async function completeSignInWithPasskey(
  context: SubgraphContext,
  form: { attempt: string; response: unknown; address: string; userAgent: string },
  appUrl: string,
): Promise<SecondStepAnswer> {
  const party = requireRelyingParty(appUrl);
  if (!hasSecretTokenFormat(form.attempt)) return VOID;
  const guess = await context.database.system((tx) =>
    takeGuess(tx, hashSecretToken(form.attempt), SECOND_FACTOR_GUESSES_MAX, now()),
  );
  if (!guess) return VOID;
  const use = { purpose: 'second-step', subjectId: guess.id } as const;
  const { passkey, isVerified } = await verifyPasskey(context, form.response, use, party);
  const isRight =
    isVerified && passkey.organizationId === guess.organizationId && passkey.accountUserId === guess.accountUserId;
  return context.database.system((tx) => finishAttempt(tx, guess, isRight, form, now()));
}
