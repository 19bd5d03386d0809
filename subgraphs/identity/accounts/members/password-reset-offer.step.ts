/** The account that a link to a new password is for. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { type AccountUser, findAccountUser } from '../account-user.table.ts';
import { findOpenReset, type PasswordReset } from './password-reset.table.ts';

/** `null` when the link opens nothing. Nothing is spent by looking. */
export async function findPasswordResetOffer(
  em: EntityManager,
  token: string,
  now: Date,
): Promise<{ reset: PasswordReset; user: AccountUser } | null> {
  if (!hasSecretTokenFormat(token)) return null;
  const reset = await findOpenReset(em, hashSecretToken(token), now);
  const user = reset && (await findAccountUser(em, reset.organizationId, reset.accountUserId));
  return !user || user.disabledAt != null ? null : { reset, user };
}
