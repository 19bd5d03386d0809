/** Returns the account of a password reset link, for the page that the link opens. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../../secrets/secret-token.ts';
import { findOpenReset } from './password-reset.table.ts';

/** Returns `null` for a link that no longer works. */
export async function getPasswordReset(
  { database }: SubgraphContext,
  token: string,
): Promise<{ email: string; expiresAt: Date } | null> {
  if (!hasSecretTokenFormat(token)) return null;
  return database.system((tx) => findOpenReset(tx, hashSecretToken(token), now()));
}
