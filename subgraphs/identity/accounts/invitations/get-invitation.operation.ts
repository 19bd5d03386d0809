/** Returns the offer behind an invitation link, for the page that the link opens. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findInvitationOffer } from './invitation-offer.step.ts';

export interface InvitationOffer {
  readonly organizationName: string;
  readonly email: string;
  readonly role: string;
  readonly expiresAt: Date;
}

/** Returns `null` if the link does not work. */
export async function getInvitation({ database }: SubgraphContext, token: string): Promise<InvitationOffer | null> {
  const offer = await database.system((tx) => findInvitationOffer(tx, token, now()));
  if (!offer) return null;
  const {
    organizationName,
    invitation: { email, role, expiresAt },
  } = offer;
  return { organizationName, email, role, expiresAt };
}
