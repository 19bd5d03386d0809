/** Whose password a link resets, for the page that it opens. */
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { findPasswordResetOffer } from './password-reset-offer.step.ts';

/** `null` when the link opens nothing. */
export async function getPasswordReset(
  { database }: SubgraphContext,
  token: string,
): Promise<{ email: string; expiresAt: Date } | null> {
  const offer = await database.acrossOrganizations((em) => findPasswordResetOffer(em, token, now()));
  return offer && { email: offer.user.email, expiresAt: offer.reset.expiresAt };
}
