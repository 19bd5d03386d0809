/** Creates a link to choose a new password, valid once and for a day. Anyone who has it can use it. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { PASSWORD_RESET_SECONDS } from '../../config.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { manageAccountUser } from './manage-account-user.step.ts';
import { PasswordResetTable, voidResets } from './password-reset.table.ts';
import { later } from '#kernel/time/duration.ts';
import { hashSecretToken, makeSecretToken } from '../../secrets/secret-token.ts';

/** The link is returned only once and voids earlier links. The old password works until the new one is chosen. */
export function startPasswordReset(
  context: SubgraphContext,
  id: string,
  appUrl: string,
  ownPassword: string | null = null,
): Promise<{ url: string; expiresAt: Date }> {
  return manageAccountUser(context, id, { ownPassword }, async (tx, { organizationId, email, disabledAt }, at) => {
    if (disabledAt != null) fail('VALIDATION_ERROR', 'The account is disabled: enable it first');
    const token = makeSecretToken(randomBytes(32));
    const expiresAt = later(at, PASSWORD_RESET_SECONDS);
    await voidResets(tx, organizationId, id, at);
    await tx.em.insert(PasswordResetTable, {
      organizationId,
      id: randomUuid(),
      accountUserId: id,
      issuedBy: context.principal.accountUserId,
      tokenHash: hashSecretToken(token),
      createdAt: at,
      expiresAt,
      consumedAt: null,
    });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'account_user.password_reset_started',
      ...actorOf(context.principal),
      subjectId: id,
      detail: email,
    });
    return { url: `${appUrl}/sign-in/new-password#${token}`, expiresAt };
  });
}
