/** Turns the second factor on after a code proves that the app has the secret. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { newRecoveryCodes } from './new-recovery-codes.step.ts';
import { renewSession } from '../renew-session.step.ts';
import { confirmOffer, findSecondFactor } from './second-factor.table.ts';
import { takeTotp } from './take-code.step.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { sessionCaller } from '../session-caller.ts';

/**
 * Returns the recovery codes, which cannot be read again, and the session's new token. Wrong codes are limited: each
 * is counted permanently before it is checked.
 */
export async function confirmSecondFactor(
  context: SubgraphContext,
  code: string,
  sealing: Sealing,
): Promise<{ codes: string[]; session: { token: string; expiresAt: Date } }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subject = `second-factor:${sessionId}`;
  const waitSeconds = await context.database.write(organizationId, (tx) =>
    takeTurn(tx, subject, WRONG_ANSWERS_PER_SESSION, now()),
  );
  if (waitSeconds > 0) failForNow(waitSeconds);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const factor = await findSecondFactor(tx, organizationId, accountUserId);
    if (!factor || factor.confirmedAt)
      fail('VALIDATION_ERROR', 'There is no second factor to confirm: start setting one up first');
    if (!(await takeTotp(tx, factor, code.replaceAll(/\s/g, ''), sealing, at)))
      fail('VALIDATION_ERROR', 'The code is wrong');
    if (!(await confirmOffer(tx, organizationId, accountUserId, at)))
      fail('VALIDATION_ERROR', 'The second factor is already on');
    await giveTryBack(tx, subject);
    await recordAudit(tx, { organizationId, at, action: 'second_factor.turned_on', ...actorOf(context.principal) });
    const codes = await newRecoveryCodes(tx, organizationId, accountUserId, sealing);
    return { codes, session: await renewSession(tx, organizationId, sessionId) };
  });
}
