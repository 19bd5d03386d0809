/** First step of a sign-in: the password. Returns a session, or an attempt that requires the second factor. */
import { now } from '#platform/clock.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { later } from '#kernel/time/duration.ts';
import { BACKOFF, SIGN_IN_ATTEMPT_SECONDS, THROTTLED_RECORDS } from '../../config.ts';
import { type AccountUser, findByEmail, holdPassword } from '../../accounts/account-user.table.ts';
import { forgetTries, giveTryBack, takeTry, takeTurn, touchTries } from '../../throttling/throttle.table.ts';
import { canonicalEmail } from '../../accounts/canonical-email.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { isPassword, UNMATCHED_PASSWORD } from '../../secrets/hash-password.ts';
import { hashSecretToken, makeSecretToken } from '../../secrets/secret-token.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { countPasskeys } from '../second-factors/passkey.table.ts';
import { findSecondFactor } from '../second-factors/second-factor.table.ts';
import { knownAddresses } from '../session.table.ts';
import { startSession } from '../start-session.step.ts';
import { storableText } from '../storable-text.ts';
import { SignInAttemptTable } from './sign-in-attempt.table.ts';
import { type SignInSubject, signInSubjects } from './sign-in-subjects.ts';

/** Shared counter for all invalid addresses, which no account can have. */
const NO_ADDRESS = '';

export interface SignInForm {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent: string;
}

interface Token {
  readonly token: string;
  readonly expiresAt: Date;
}

interface PassedPassword {
  readonly session: Token | null;
  /** `asksForCode` or `asksForPasskey` is true, or both; a recovery code works in either case. */
  readonly attempt: (Token & { readonly asksForCode: boolean; readonly asksForPasskey: boolean }) | null;
}

/**
 * Fails with `UNAUTHORIZED`, with the same message and timing whether or not the account exists, or with
 * `RATE_LIMIT_EXCEEDED`. Uses two transactions: the attempt is counted permanently before the slow hash is computed,
 * and no connection waits for the hash.
 */
export async function signIn(context: SubgraphContext, form: SignInForm): Promise<PassedPassword> {
  const email = canonicalEmail(form.email);
  const { waitSeconds, account, subjects } = await context.database.system(async (tx) => {
    const found = email === null ? null : await findByEmail(tx, email);
    const counted = signInSubjects(
      email ?? NO_ADDRESS,
      form.address,
      found ? await knownAddresses(tx, found.organizationId, found.id) : [],
    );
    for (const { name, free } of counted) {
      const wait = await takeTry(tx, name, { ...BACKOFF, free }, now());
      if (wait > 0) return { waitSeconds: wait, account: found, subjects: counted };
    }
    return { waitSeconds: 0, account: found, subjects: counted };
  });
  if (waitSeconds > 0) {
    if (account) await recordThrottledSignIn(context, account, form.address);
    failForNow(waitSeconds);
  }
  const isRight = await isPassword(form.password, account?.passwordHash ?? UNMATCHED_PASSWORD);
  if (!account || !isRight || account.disabledAt != null) {
    await recordFailedSignIn(context, account, form.address, subjects[0]?.name ?? '');
    return failAlike();
  }
  return passThePassword(context, account, subjects, form);
}

/** Attempts stay counted until the second factor is passed too: a known password gives no extra guesses at codes. */
function passThePassword(
  context: SubgraphContext,
  account: AccountUser,
  subjects: readonly SignInSubject[],
  form: SignInForm,
): Promise<PassedPassword> {
  const { organizationId, id: accountUserId } = account;
  return context.database.system(async (tx) => {
    const time = now();
    if (!(await holdPassword(tx, account))) return failAlike();
    const factor = await findSecondFactor(tx, organizationId, accountUserId);
    const asksForCode = factor?.confirmedAt != null;
    const asksForPasskey = (await countPasskeys(tx, organizationId, accountUserId)) > 0;
    if (asksForCode || asksForPasskey) {
      const token = makeSecretToken(randomBytes(32));
      const expiresAt = later(time, SIGN_IN_ATTEMPT_SECONDS);
      await tx.em.insert(SignInAttemptTable, {
        organizationId,
        id: randomUuid(),
        accountUserId,
        tokenHash: hashSecretToken(token),
        guesses: 0,
        createdAt: time,
        expiresAt,
        consumedAt: null,
      });
      return { session: null, attempt: { token, expiresAt, asksForCode, asksForPasskey } };
    }
    for (const { name, isShared } of subjects) await (isShared ? giveTryBack(tx, name) : forgetTries(tx, name));
    return {
      session: await startSession(
        tx,
        { organizationId, accountUserId, address: form.address, userAgent: form.userAgent },
        time,
      ),
      attempt: null,
    };
  });
}

function failAlike(): never {
  return fail('UNAUTHORIZED', 'The e-mail address or the password is wrong');
}

/**
 * Records a failed sign-in with its network address in the audit log of the account's organization.
 *
 * An unknown account has no audit log, but a row is written anyway, so that the response takes the same time.
 */
async function recordFailedSignIn(
  { database }: SubgraphContext,
  account: AccountUser | null,
  address: string,
  subject: string,
): Promise<void> {
  await database.system((tx) =>
    account === null
      ? touchTries(tx, subject, now())
      : recordAudit(tx, {
          organizationId: account.organizationId,
          at: now(),
          action: 'sign_in.failed',
          actorKind: 'anonymous',
          subjectId: account.id,
          detail: storableText(address),
        }),
  );
}

/** Limited per hour, so that a throttled client cannot fill the log by retrying. */
async function recordThrottledSignIn(
  { database }: SubgraphContext,
  { organizationId, id }: AccountUser,
  address: string,
): Promise<void> {
  await database.system(async (tx) => {
    const at = now();
    if ((await takeTurn(tx, `sign-in-throttled:${id}`, THROTTLED_RECORDS, at)) > 0) return;
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'sign_in.throttled',
      actorKind: 'anonymous',
      subjectId: id,
      detail: storableText(address),
    });
  });
}
