/** Second step of a sign-in: a code of the second factor, or a recovery code. Five wrong codes void the attempt. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { SECOND_FACTOR_GUESSES_MAX } from '../../config.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { takeCode } from '../second-factors/take-code.step.ts';
import { finishAttempt, type SecondStepAnswer, VOID } from './finish-attempt.step.ts';
import { takeGuess } from './sign-in-attempt.table.ts';

export interface SecondStepForm {
  readonly attempt: string;
  readonly code: string;
  readonly address: string;
  readonly userAgent: string;
}

/** A wrong code is a normal result: an error would roll back the guess that it used. */
export async function completeSignIn(
  context: SubgraphContext,
  form: SecondStepForm,
  sealing: Sealing,
): Promise<SecondStepAnswer> {
  if (!hasSecretTokenFormat(form.attempt)) return VOID;
  return context.database.system(async (tx) => {
    const time = now();
    const guess = await takeGuess(tx, hashSecretToken(form.attempt), SECOND_FACTOR_GUESSES_MAX, time);
    if (!guess) return VOID;
    const isRight = await takeCode(tx, guess, form.code, sealing, time);
    return finishAttempt(tx, guess, isRight, form, time);
  });
}
