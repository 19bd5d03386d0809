/** A person enters a user code: the login is bound to this session and shown. Nothing is approved by it. */
import { now } from '../../../../platform/clock.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import type { Sealing } from '../../../../platform/seal.ts';
import { fail } from '../../../../schema/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { claimDeviceLogin as claim, type DeviceLogin } from './device-login.table.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { USER_CODE_HASH } from '../../secrets/secret-purposes.ts';
import { type SessionCaller, sessionCaller } from '../../sessions/session-caller.ts';
import { type ShownDeviceLogin, showDeviceLogin } from './show-device-login.ts';
import { hashUserCode, readUserCode } from './user-code.ts';

/** Wrong, expired and somebody else's codes are one answer, `NOT_FOUND`, and count towards ten an hour. */
export async function claimDeviceLogin(context: SubgraphContext, userCode: string, sealing: Sealing): Promise<ShownDeviceLogin> {
  const caller = sessionCaller(context.principal);
  const subject = `user-code:${caller.sessionId}`;
  const letters = readUserCode(userCode);
  // Before it is claimed a login belongs to no organization.
  const outcome = await context.database.acrossOrganizations(async (em) => {
    const at = now();
    const waitSeconds = await takeTurn(em, subject, WRONG_ANSWERS_PER_SESSION, at);
    if (waitSeconds > 0) return { waitSeconds, login: null };
    const login = letters === null ? null : await claimWithAnyKey(em, letters, sealing, caller, at);
    if (login) await giveTryBack(em, subject);
    return { waitSeconds: 0, login };
  });
  if (outcome.waitSeconds > 0) return failForNow(outcome.waitSeconds);
  return outcome.login ? showDeviceLogin(outcome.login) : fail('NOT_FOUND', 'This code is wrong or has expired');
}

/** The login may have begun under a secret that has changed since. */
async function claimWithAnyKey(em: EntityManager, letters: string, { ring }: Sealing, caller: SessionCaller, at: Date): Promise<DeviceLogin | null> {
  for (const key of ring.keys.flatMap((ringKey) => [ringKey.derive(USER_CODE_HASH), ringKey.deriveWithoutId(USER_CODE_HASH)])) {
    const login = await claim(em, hashUserCode(letters, key), caller, at);
    if (login) return login;
  }
  return null;
}
