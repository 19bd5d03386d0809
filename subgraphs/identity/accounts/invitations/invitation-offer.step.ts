/** Reads the offer behind an invitation link. */
import type { EntityManager } from '#platform/database/open-database.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { listOpenInvitations, type OpenInvitation } from './invitation.table.ts';
import { nameOfOrganization } from '../organization.table.ts';

/** Returns `null` for a link that no longer works. Reading does not use up the link. */
export async function findInvitationOffer(
  em: EntityManager,
  token: string,
  at: Date,
): Promise<{ invitation: OpenInvitation; organizationName: string } | null> {
  if (!hasSecretTokenFormat(token)) return null;
  const [invitation] = await listOpenInvitations(em, { tokenHash: hashSecretToken(token) }, at);
  if (!invitation) return null;
  return { invitation, organizationName: await nameOfOrganization(em, invitation.organizationId) };
}
