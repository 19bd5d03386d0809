/** Lists the caller's passkeys, oldest first. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { listPasskeysOf } from '../second-factors/passkey.table.ts';
import { sessionCaller } from '../session-caller.ts';
import { type PasskeyView, toPasskey } from './to-passkey.ts';

export async function listPasskeys(context: SubgraphContext): Promise<PasskeyView[]> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  const list = context.database.write(organizationId, (tx) => listPasskeysOf(tx, organizationId, accountUserId));
  return (await list).map(toPasskey);
}
