/** Second step of a sign-in: a code of the second factor or a recovery code. Five wrong ones void the attempt. */
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import type { Sealing } from '../../../../platform/seal.ts';
import { SECOND_FACTOR_GUESSES_MAX } from '../../config.ts';
import { findAccountUser } from '../../accounts/account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { findSecondFactor } from '../second-factors/second-factor.table.ts';
import { consumeAttempt, takeGuess } from './sign-in-attempt.table.ts';
import { startSession } from '../start-session.step.ts';
import { takeCode } from '../second-factors/take-code.step.ts';
import { forgetTries, giveTryBack } from '../../throttling/throttle.table.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { storableText } from '../storable-text.ts';
import { signInSubjects } from './sign-in-subjects.ts';

export interface SecondStepForm {
  readonly attempt: string;
  readonly code: string;
  readonly address: string;
  readonly userAgent: string;
}

export interface SecondStepAnswer {
  readonly session: { readonly token: string; readonly expiresAt: Date } | null;
  readonly guessesLeft: number;
}

const VOID: SecondStepAnswer = { session: null, guessesLeft: 0 };

/** A wrong code is an answer, not a failure: a failure would roll back the guess that it took. */
export async function completeSignIn(
  context: SubgraphContext,
  form: SecondStepForm,
  sealing: Sealing,
): Promise<SecondStepAnswer> {
  if (!hasSecretTokenFormat(form.attempt)) return VOID;
  return context.database.acrossOrganizations(async (em) => {
    const time = now();
    const guess = await takeGuess(em, hashSecretToken(form.attempt), SECOND_FACTOR_GUESSES_MAX, time);
    if (!guess) return VOID;
    const { organizationId, accountUserId } = guess;
    const factor = await findSecondFactor(em, organizationId, accountUserId);
    const isRight = factor?.confirmedAt != null && (await takeCode(em, factor, form.code, sealing, time));
    if (!isRight || !(await consumeAttempt(em, organizationId, guess.id, time))) {
      const guessesLeft = SECOND_FACTOR_GUESSES_MAX - guess.guesses;
      if (guessesLeft === 0) {
        await recordAudit(em, {
          organizationId,
          at: time,
          action: 'sign_in_attempt.voided',
          actorKind: 'anonymous',
          accountUserId,
          subjectId: guess.id,
          detail: storableText(form.address),
        });
      }
      return { session: null, guessesLeft };
    }
    const account = await findAccountUser(em, organizationId, accountUserId);
    for (const { name, isShared } of signInSubjects(account?.email ?? '', form.address, []))
      await (isShared ? giveTryBack(em, name) : forgetTries(em, name));
    const session = await startSession(
      em,
      { organizationId, accountUserId, address: form.address, userAgent: form.userAgent },
      time,
    );
    return { session, guessesLeft: SECOND_FACTOR_GUESSES_MAX - guess.guesses };
  });
}
