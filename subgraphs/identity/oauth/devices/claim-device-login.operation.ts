/** Binds a device login to the session of the person who enters its user code, and returns it. Approves nothing. */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { WRONG_ANSWERS_PER_SESSION, WRONG_USER_CODES } from '../../config.ts';
import { claimDeviceLogin as claim, type DeviceLogin } from './device-login.table.ts';
import { addressOfSession } from '../../sessions/session.table.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { networkOf } from '#platform/network-of.ts';
import { USER_CODE_HASH } from '../../secrets/secret-purposes.ts';
import { requireRecentSignIn } from '../../sessions/require-step-up.step.ts';
import { type SessionCaller, sessionCaller } from '../../sessions/session-caller.ts';
import { type DeviceLoginView, toDeviceLoginView } from './device-login-view.ts';
import { hashUserCode, presentUserCode, readUserCode } from './user-code.ts';

/**
 * Wrong, expired and other people's codes all fail with `NOT_FOUND`. They are counted per session, account and
 * address.
 */
export async function claimDeviceLogin(
  context: SubgraphContext,
  userCode: string,
  sealing: Sealing,
): Promise<DeviceLoginView> {
  const caller = sessionCaller(context.principal);
  const letters = readUserCode(userCode);
  // An unclaimed login belongs to no organization.
  const outcome = await context.database.system(async (tx) => {
    const at = now();
    await requireRecentSignIn(tx, context, 'connecting a device');
    const address = await addressOfSession(tx, caller.organizationId, caller.sessionId);
    const limits = [
      { subject: `user-code:${caller.sessionId}`, limit: WRONG_ANSWERS_PER_SESSION },
      { subject: `user-code-account:${caller.accountUserId}`, limit: WRONG_USER_CODES.perAccount },
      { subject: `user-code-address:${networkOf(address)}`, limit: WRONG_USER_CODES.perAddress },
    ];
    let waitSeconds = 0;
    for (const { subject, limit } of limits)
      waitSeconds = Math.max(waitSeconds, await takeTurn(tx, subject, limit, at));
    if (waitSeconds > 0) return { waitSeconds, login: null };
    const login = letters === null ? null : await claimWithAnyKey(tx, letters, sealing, caller, at);
    if (login) for (const { subject } of limits) await giveTryBack(tx, subject);
    return { waitSeconds: 0, login };
  });
  if (outcome.waitSeconds > 0) return failForNow(outcome.waitSeconds);
  return outcome.login
    ? toDeviceLoginView(outcome.login, letters === null ? null : presentUserCode(letters))
    : fail('NOT_FOUND', 'This code is wrong or has expired');
}

/** The login may have been started under a secret that was replaced since. */
async function claimWithAnyKey(
  tx: WriteTransaction,
  letters: string,
  { ring }: Sealing,
  caller: SessionCaller,
  at: Date,
): Promise<DeviceLogin | null> {
  for (const key of ring.keys.flatMap((ringKey) => [
    ringKey.derive(USER_CODE_HASH),
    ringKey.deriveWithoutId(USER_CODE_HASH),
  ])) {
    const login = await claim(tx, hashUserCode(letters, key), caller, at);
    if (login) return login;
  }
  return null;
}
