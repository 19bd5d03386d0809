/** The holder of an invitation's link makes the account, with a password of their own choice. */
import { now } from '../../../platform/clock.ts';
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { insertAccountUser } from '../data/account-user.ts';
import { recordAct } from '../data/audit-record.ts';
import { consumeInvitation, findOpenInvitation } from '../data/invitation.ts';
import { nameOfOrganization } from '../data/organization.ts';
import { checkPassword } from '../rules/check-account.ts';
import { hashPassword } from '../rules/hash-password.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../rules/secret-token.ts';
import { storableText } from '../rules/storable-text.ts';

export interface InvitationOffer {
  readonly organizationName: string;
  readonly email: string;
  readonly role: string;
  readonly expiresAt: Date;
}

/** What the link is good for; `null` when it opens nothing. Nothing is spent by looking. */
export async function showInvitation({ database }: SubgraphContext, token: string): Promise<InvitationOffer | null> {
  if (!hasSecretTokenFormat(token)) return null;
  return database.acrossOrganizations(async (em) => {
    const invitation = await findOpenInvitation(em, hashSecretToken(token), now());
    if (!invitation) return null;
    const { organizationId, email, role, expiresAt } = invitation;
    return { organizationName: await nameOfOrganization(em, organizationId), email, role, expiresAt };
  });
}

/**
 * Fails with `NOT_FOUND` for a link that opens nothing; with `VALIDATION_ERROR` for a password that is none and for an address
 * that has an account by now, which both leave the link. Of many at once, one wins.
 */
export async function acceptInvitation(context: SubgraphContext, { token, password, address }: { token: string; password: string; address: string }): Promise<{ userId: string }> {
  const offer = await showInvitation(context, token) ?? notFound();
  const passwordHash = await hashPassword(checkPassword(password, offer.email, offer.organizationName), randomBytes(16));
  return context.database.acrossOrganizations(async (em) => {
    const at = now();
    const invitation = await findOpenInvitation(em, hashSecretToken(token), at);
    if (!invitation || !await consumeInvitation(em, invitation, at)) return notFound();
    const { organizationId, email, role } = invitation;
    const id = randomUuid();
    if (!await insertAccountUser(em, { organizationId, id, email, passwordHash, role, createdAt: at })) {
      fail('VALIDATION_ERROR', 'There is an account with this e-mail address already');
    }
    const record = { organizationId, at, actorKind: 'anonymous', accountUserId: id } as const;
    await recordAct(em, { ...record, act: 'invitation.accepted', subjectId: invitation.id, detail: storableText(address) });
    await recordAct(em, { ...record, act: 'account_user.created', subjectId: id, detail: email });
    return { userId: id };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This invitation was accepted already, has expired, or was taken back');
}
