/** Returns the state of the caller's second factor. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { countPasskeys } from './passkey.table.ts';
import { countRecoveryCodes } from './recovery-code.table.ts';
import { findSecondFactor } from './second-factor.table.ts';
import { sessionCaller } from '../session-caller.ts';

/** `on`: true if an authenticator app is on; passkeys are listed separately. */
export async function getSecondFactor(
  context: SubgraphContext,
): Promise<{ on: boolean; confirmedAt: Date | null; recoveryCodesLeft: number }> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  return context.database.write(organizationId, async (tx) => {
    const passkeys = await countPasskeys(tx, organizationId, accountUserId);
    const confirmedAt = (await findSecondFactor(tx, organizationId, accountUserId))?.confirmedAt ?? null;
    const recoveryCodesLeft =
      confirmedAt === null && passkeys === 0 ? 0 : await countRecoveryCodes(tx, organizationId, accountUserId);
    return { on: confirmedAt !== null, confirmedAt, recoveryCodesLeft };
  });
}
