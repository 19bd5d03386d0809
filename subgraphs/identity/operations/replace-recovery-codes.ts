/** Makes ten new recovery codes; the old ones end. */
import { actorOf } from '../../../platform/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import type { Sealing } from '../../../platform/seal.ts';
import { fail } from '../../../schema/errors.ts';
import { WRONG_ANSWERS_PER_SESSION } from '../config.ts';
import { recordAct } from '../data/audit-record.ts';
import { newRecoveryCodes } from '../data/new-recovery-codes.ts';
import { findSecondFactor } from '../data/second-factor.ts';
import { takeCode } from '../data/take-code.ts';
import { giveTryBack, takeTurn } from '../data/throttle.ts';
import { failForNow } from '../rules/fail-for-now.ts';
import { sessionCaller } from '../rules/session-caller.ts';

/** Wrong codes are limited, so none of them may roll back its count. */
export async function replaceRecoveryCodes(context: SubgraphContext, code: string, sealing: Sealing): Promise<{ codes: string[] }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  const subject = `second-factor:${sessionId}`;
  const outcome = await context.database.forOrganization(organizationId, async (em) => {
    const at = now();
    const waitSeconds = await takeTurn(em, subject, WRONG_ANSWERS_PER_SESSION, at);
    if (waitSeconds > 0) return { waitSeconds };
    const factor = await findSecondFactor(em, organizationId, accountUserId);
    if (!factor?.confirmedAt || !await takeCode(em, factor, code, sealing, at)) return null;
    await giveTryBack(em, subject);
    await recordAct(em, { organizationId, at, act: 'recovery_codes.replaced', ...actorOf(context.principal) });
    return { codes: await newRecoveryCodes(em, organizationId, accountUserId, sealing) };
  });
  if (outcome === null) return fail('VALIDATION_ERROR', 'The code is wrong, or the second factor is off');
  return outcome.codes ? { codes: outcome.codes } : failForNow(outcome.waitSeconds);
}
