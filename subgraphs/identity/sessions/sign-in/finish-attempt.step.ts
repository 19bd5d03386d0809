/** Result of a guess at the second step: the session, or the number of guesses left. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { SECOND_FACTOR_GUESSES_MAX } from '../../config.ts';
import { findAccountUser } from '../../accounts/account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { forgetTries, giveTryBack } from '../../throttling/throttle.table.ts';
import { startSession } from '../start-session.step.ts';
import { storableText } from '../storable-text.ts';
import { consumeAttempt, type Guess } from './sign-in-attempt.table.ts';
import { signInSubjects } from './sign-in-subjects.ts';

export interface SecondStepAnswer {
  readonly session: { readonly token: string; readonly expiresAt: Date } | null;
  readonly guessesLeft: number;
}

export const VOID: SecondStepAnswer = { session: null, guessesLeft: 0 };

/** A wrong guess is a normal result: an error would roll back the caller's count. */
export async function finishAttempt(
  tx: WriteTransaction,
  guess: Guess,
  isRight: boolean,
  { address, userAgent }: { readonly address: string; readonly userAgent: string },
  time: Date,
): Promise<SecondStepAnswer> {
  const { organizationId, accountUserId } = guess;
  const guessesLeft = SECOND_FACTOR_GUESSES_MAX - guess.guesses;
  if (!isRight || !(await consumeAttempt(tx, organizationId, guess.id, time))) {
    if (guessesLeft === 0) {
      await recordAudit(tx, {
        organizationId,
        at: time,
        action: 'sign_in_attempt.voided',
        actorKind: 'anonymous',
        accountUserId,
        subjectId: guess.id,
        detail: storableText(address),
      });
    }
    return { session: null, guessesLeft };
  }
  const account = await findAccountUser(tx, organizationId, accountUserId);
  for (const { name, isShared } of signInSubjects(account?.email ?? '', address, []))
    await (isShared ? giveTryBack(tx, name) : forgetTries(tx, name));
  return { session: await startSession(tx, { organizationId, accountUserId, address, userAgent }, time), guessesLeft };
}
