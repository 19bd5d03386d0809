/** Creates an invitation link, valid once and for a week. The invited person chooses the password. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { INVITATION_SECONDS } from '../../config.ts';
import { listAccountUsers } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { InvitationTable, revokeInvitationsOf } from './invitation.table.ts';
import { proveOwnPassword, requireOwnPassword, requireStepUp } from '../members/manage-account-user.step.ts';
import { lockOrganization } from '../organization.table.ts';
import { checkEmail } from '../check-account.ts';
import { checkRole } from '../role.ts';
import { later } from '#kernel/time/duration.ts';
import { mayManage } from '../members/may-manage.ts';
import { hashSecretToken, makeSecretToken } from '../../secrets/secret-token.ts';
import { type InvitationView, toInvitation } from './to-invitation.ts';

/**
 * The link is returned only once, and voids an earlier invitation for the same address. Only whoever has the link
 * learns whether the address has an account elsewhere.
 */
export async function inviteAccountUser(
  context: SubgraphContext,
  input: { email: string; role: string; ownPassword?: string | null | undefined },
  appUrl: string,
): Promise<{ invitation: InvitationView; url: string }> {
  const organizationId = organizationOf(context);
  const [email, role] = [checkEmail('email', input.email), checkRole(input.role)];
  if (!mayManage(context.principal, role)) fail('FORBIDDEN', 'Only owners can invite owners, admins and finance users');
  const proof = await proveOwnPassword(context, input.ownPassword ?? null);
  const token = makeSecretToken(randomBytes(32));
  return context.database.write(organizationId, async (tx) => {
    await requireStepUp(tx, context);
    if (role === 'owner') requireOwnPassword(proof);
    await lockOrganization(tx, organizationId);
    const at = now();
    if ((await listAccountUsers(tx, { organizationId, email })).length > 0)
      fail('VALIDATION_ERROR', 'This address already has an account in the organization', { field: 'email' });
    await revokeInvitationsOf(tx, organizationId, email, at);
    const invitation = {
      organizationId,
      id: randomUuid(),
      email,
      role,
      tokenHash: hashSecretToken(token),
      invitedBy: context.principal.accountUserId,
      createdAt: at,
      expiresAt: later(at, INVITATION_SECONDS),
      acceptedAt: null,
      revokedAt: null,
    };
    await tx.em.insert(InvitationTable, invitation);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'invitation.created',
      ...actorOf(context.principal),
      subjectId: invitation.id,
      detail: `${email}: ${role}`,
    });
    return { invitation: toInvitation(invitation), url: `${appUrl}/sign-in/invitation#${token}` };
  });
}
