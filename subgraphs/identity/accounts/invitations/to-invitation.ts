/** What leaves of an invitation: the hash of its token stays here. */
import { enumValue } from '../../../../kernel/enum-value.ts';
import type { Invitation } from './invitation.table.ts';

export type InvitationView = ReturnType<typeof toInvitation>;

export function toInvitation({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
}: Pick<Invitation, 'id' | 'email' | 'role' | 'invitedBy' | 'createdAt' | 'expiresAt'>) {
  return { id, email, role, accountRole: enumValue(role), invitedBy: invitedBy ?? null, createdAt, expiresAt };
}
