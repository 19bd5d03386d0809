/** Creates ten new recovery codes; the old ones stop working. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../../config.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { newRecoveryCodes } from './new-recovery-codes.step.ts';
import { takeCode } from './take-code.step.ts';
import { giveTryBack, takeTurn } from '../../throttling/throttle.table.ts';
import { failForNow } from '../../throttling/fail-for-now.ts';
import { sessionCaller } from '../session-caller.ts';

/** Wrong codes are limited, so a wrong code must not roll back its own count. */
export async function replaceRecoveryCodes(
  context: SubgraphContext,
  code: string,
  sealing: Sealing,
): Promise<{ codes: string[] }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subject = `second-factor:${sessionId}`;
  const outcome = await context.database.write(organizationId, async (tx) => {
    const at = now();
    const waitSeconds = await takeTurn(tx, subject, WRONG_ANSWERS_PER_SESSION, at);
    if (waitSeconds > 0) return { waitSeconds };
    if (!(await takeCode(tx, { organizationId, accountUserId }, code, sealing, at))) return null;
    await giveTryBack(tx, subject);
    await recordAudit(tx, { organizationId, at, action: 'recovery_codes.replaced', ...actorOf(context.principal) });
    return { codes: await newRecoveryCodes(tx, organizationId, accountUserId, sealing) };
  });
  if (outcome === null) return fail('VALIDATION_ERROR', 'The code is wrong, or the second factor is off');
  return outcome.codes ? { codes: outcome.codes } : failForNow(outcome.waitSeconds);
}
