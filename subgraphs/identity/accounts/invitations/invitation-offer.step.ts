/** Reads the offer behind an invitation link. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { listOpenInvitations, type OpenInvitation } from './invitation.table.ts';
import { nameOfOrganization } from '../organization.table.ts';

/** Returns `null` for a link that no longer works. Reading does not use up the link. */
export async function findInvitationOffer(
  tx: WriteTransaction,
  token: string,
  at: Date,
): Promise<{ invitation: OpenInvitation; organizationName: string } | null> {
  if (!hasSecretTokenFormat(token)) return null;
  const [invitation] = await listOpenInvitations(tx, { tokenHash: hashSecretToken(token) }, at);
  if (!invitation) return null;
  return { invitation, organizationName: await nameOfOrganization(tx, invitation.organizationId) };
}
