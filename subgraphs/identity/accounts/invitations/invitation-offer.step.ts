/** The account that an invitation's link makes. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { findOpenInvitation, type Invitation } from './invitation.table.ts';
import { nameOfOrganization } from '../organization.table.ts';

/** `null` when the link opens nothing. Nothing is spent by looking. */
export async function findInvitationOffer(
  em: EntityManager,
  token: string,
  now: Date,
): Promise<{ invitation: Invitation; organizationName: string } | null> {
  if (!hasSecretTokenFormat(token)) return null;
  const invitation = await findOpenInvitation(em, hashSecretToken(token), now);
  return invitation && { invitation, organizationName: await nameOfOrganization(em, invitation.organizationId) };
}
