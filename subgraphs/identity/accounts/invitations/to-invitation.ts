/** The public fields of an invitation, without the token's hash. */
import { enumValue } from '#kernel/enum-value.ts';
import type { OpenInvitation } from './invitation.table.ts';

export type InvitationView = ReturnType<typeof toInvitation>;

export function toInvitation({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
}: Omit<OpenInvitation, 'organizationId'>) {
  return { id, email, role: enumValue(role), invitedBy, createdAt, expiresAt };
}
