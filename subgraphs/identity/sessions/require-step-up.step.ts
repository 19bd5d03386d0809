/**
 * Protects actions that a stolen cookie must not perform: requires the password, or a sign-in within the last ten
 * minutes.
 */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { RECENT_SIGN_IN_SECONDS, WRONG_ANSWERS_PER_SESSION } from '../config.ts';
import { failForNow } from '../throttling/fail-for-now.ts';
import { isPassword } from '../secrets/hash-password.ts';
import { earlier } from '#kernel/time/duration.ts';
import { sessionCaller } from './session-caller.ts';
import { type AccountUser, findAccountUser } from '../accounts/account-user.table.ts';
import { signedInAt } from './session.table.ts';
import { giveTryBack, takeTurn } from '../throttling/throttle.table.ts';

/** Fails with `FORBIDDEN` and `actionHint: SIGN_IN_AGAIN` if the session's sign-in was too long ago. */
export async function requireRecentSignIn(tx: WriteTransaction, context: SubgraphContext, what: string): Promise<void> {
  const { organizationId, sessionId } = sessionCaller(context.principal);
  const since = await signedInAt(tx, organizationId, sessionId);
  if (since === null || since < earlier(now(), RECENT_SIGN_IN_SECONDS)) {
    fail('FORBIDDEN', `Sign in again: ${what} requires a sign-in within the last ten minutes`, {
      actionHint: 'SIGN_IN_AGAIN',
    });
  }
}

/**
 * Returns the caller's account if the password is right. Wrong passwords are limited per session; an attempt is
 * counted permanently before the slow hash is computed.
 *
 * Fails with `VALIDATION_ERROR`, with `message` and the argument `field`, or with `RATE_LIMIT_EXCEEDED`.
 */
export async function checkOwnPassword(
  context: SubgraphContext,
  password: string,
  { message, field }: { readonly message: string; readonly field: string },
): Promise<AccountUser> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subject = `password:${sessionId}`;
  const { waitSeconds, account } = await context.database.write(organizationId, async (tx) => ({
    waitSeconds: await takeTurn(tx, subject, WRONG_ANSWERS_PER_SESSION, now()),
    account: await findAccountUser(tx, organizationId, accountUserId),
  }));
  if (waitSeconds > 0) failForNow(waitSeconds);
  if (!account || !(await isPassword(password, account.passwordHash)))
    return fail('VALIDATION_ERROR', message, { field });
  await context.database.write(organizationId, (tx) => giveTryBack(tx, subject));
  return account;
}
