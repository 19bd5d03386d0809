/** A person enters a user code: the login is bound to this session and shown. Nothing is approved by it. */
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { sealingKey } from '../../../../platform/seal.ts';
import { fail } from '../../../../schema/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { claimDeviceLogin as claim } from './device-login.table.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { USER_CODE_HASH } from '../../secrets/secret-purposes.ts';
import { sessionCaller } from '../../sessions/session-caller.ts';
import { type ShownDeviceLogin, showDeviceLogin } from './show-device-login.ts';
import { hashUserCode, readUserCode } from './user-code.ts';

/** Wrong, expired and somebody else's codes are one answer, `NOT_FOUND`, and count towards ten an hour. */
export async function claimDeviceLogin(context: SubgraphContext, userCode: string, serviceSecret: string): Promise<ShownDeviceLogin> {
  const caller = sessionCaller(context.principal);
  const subject = `user-code:${caller.sessionId}`;
  const letters = readUserCode(userCode);
  // Before it is claimed a login belongs to no organization.
  const outcome = await context.database.acrossOrganizations(async (em) => {
    const at = now();
    const waitSeconds = await takeTurn(em, subject, WRONG_ANSWERS_PER_SESSION, at);
    if (waitSeconds > 0) return { waitSeconds, login: null };
    const login = letters === null ? null : await claim(em, hashUserCode(letters, sealingKey(serviceSecret, USER_CODE_HASH)), caller, at);
    if (login) await giveTryBack(em, subject);
    return { waitSeconds: 0, login };
  });
  if (outcome.waitSeconds > 0) return failForNow(outcome.waitSeconds);
  return outcome.login ? showDeviceLogin(outcome.login) : fail('NOT_FOUND', 'This code is wrong or has expired');
}
