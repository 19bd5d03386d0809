/** The holder of a link chooses a new password. A second factor stays on: the link is no way round it. */
import { now } from '../../../platform/clock.ts';
import { randomBytes } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { setPassword } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { endAllSessions } from '../data/end-access.ts';
import { consumeReset } from '../data/password-reset.ts';
import { findPasswordResetOffer } from '../data/password-reset-offer.ts';
import { checkPassword } from '../rules/check-account.ts';
import { hashPassword } from '../rules/hash-password.ts';
import { storableText } from '../rules/storable-text.ts';

/**
 * Fails with `NOT_FOUND` for a link that opens nothing, with `VALIDATION_ERROR` for a password that is none, which leaves the
 * link. Of many at once, one wins; every session of the account ends.
 */
export async function completePasswordReset(context: SubgraphContext, { token, password, address }: { token: string; password: string; address: string }): Promise<true> {
  const { user } = await context.database.acrossOrganizations((em) => findPasswordResetOffer(em, token, now())) ?? notFound();
  const passwordHash = await hashPassword(checkPassword(password, user.email), randomBytes(16));
  return context.database.acrossOrganizations(async (em) => {
    const at = now();
    const offer = await findPasswordResetOffer(em, token, at);
    if (!offer || !await consumeReset(em, offer.reset, at)) return notFound();
    const { organizationId, accountUserId } = offer.reset;
    await setPassword(em, organizationId, accountUserId, passwordHash);
    await endAllSessions(em, organizationId, accountUserId, at);
    await recordAct(em, { organizationId, at, act: 'account_user.password_reset', actorKind: 'anonymous', accountUserId, subjectId: accountUserId, detail: storableText(address) });
    return true as const;
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This link was used already, has expired, or was replaced by a newer one');
}
