/** Accepts an invitation: whoever has its link creates the account and chooses its password. */
import { now } from '#platform/clock.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { insertAccountUser } from '../account-user.table.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { claimInvitation } from './invitation.table.ts';
import { findInvitationOffer } from './invitation-offer.step.ts';
import { checkPassword } from '../check-account.ts';
import { hashPassword } from '../../secrets/hash-password.ts';
import { hashSecretToken } from '../../secrets/secret-token.ts';
import { storableText } from '../../sessions/storable-text.ts';

/**
 * Fails with `NOT_FOUND` for a link that does not work. Fails with `VALIDATION_ERROR`, leaving the link valid, for an
 * invalid password or if the address has an account by now. Only one of several concurrent requests succeeds.
 */
export async function acceptInvitation(
  context: SubgraphContext,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<{ userId: string }> {
  const {
    organizationName,
    invitation: { email },
  } = (await context.database.system((tx) => findInvitationOffer(tx, token, now()))) ?? notFound();
  const passwordHash = await hashPassword(
    checkPassword('password', password, email, organizationName),
    randomBytes(16),
  );
  return context.database.system(async (tx) => {
    const at = now();
    const invitation = await claimInvitation(tx, hashSecretToken(token), at);
    if (!invitation) return notFound();
    const { organizationId, role } = invitation;
    const id = randomUuid();
    if (!(await insertAccountUser(tx, { organizationId, id, email, passwordHash, role, createdAt: at }))) {
      fail('VALIDATION_ERROR', 'An account with this e-mail address already exists');
    }
    const record = { organizationId, at, actorKind: 'anonymous', accountUserId: id } as const;
    await recordAudit(tx, {
      ...record,
      action: 'invitation.accepted',
      subjectId: invitation.id,
      detail: storableText(address),
    });
    await recordAudit(tx, { ...record, action: 'account_user.created', subjectId: id, detail: email });
    return { userId: id };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This invitation was already accepted, has expired, or was revoked');
}
