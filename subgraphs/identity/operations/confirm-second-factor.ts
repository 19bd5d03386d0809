/** Turns the second factor on, once a code proves that the app has the secret. */
import { actorOf } from '../../../platform/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import type { Sealing } from '../../../platform/seal.ts';
import { fail } from '../../../schema/errors.ts';
import { recordAct } from '../data/audit-record.ts';
import { newRecoveryCodes } from '../data/new-recovery-codes.ts';
import { renewSession } from '../data/renew-session.ts';
import { confirmOffer, findSecondFactor } from '../data/second-factor.ts';
import { takeTotp } from '../data/take-code.ts';
import { sessionCaller } from '../rules/session-caller.ts';

/** The recovery codes, which nobody can read again, and the session's new token. */
export async function confirmSecondFactor(context: SubgraphContext, code: string, sealing: Sealing): Promise<{ codes: string[]; session: { token: string; expiresAt: Date } }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  return context.database.forOrganization(organizationId, async (em) => {
    const at = now();
    const factor = await findSecondFactor(em, organizationId, accountUserId);
    if (!factor || factor.confirmedAt) fail('VALIDATION_ERROR', 'There is no second factor to confirm: begin to set one up');
    if (!await takeTotp(em, factor, code.replaceAll(/\s/g, ''), sealing, at)) fail('VALIDATION_ERROR', 'The code is wrong');
    if (!await confirmOffer(em, organizationId, accountUserId, at)) fail('VALIDATION_ERROR', 'The second factor is on already');
    await recordAct(em, { organizationId, at, act: 'second_factor.turned_on', ...actorOf(context.principal) });
    const codes = await newRecoveryCodes(em, organizationId, accountUserId, sealing);
    return { codes, session: await renewSession(em, organizationId, sessionId) };
  });
}
