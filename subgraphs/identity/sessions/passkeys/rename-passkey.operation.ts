/** Renames one of the caller's passkeys. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { checkName } from '../../accounts/check-account.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { findPasskeyOf, setPasskeyName } from '../second-factors/passkey.table.ts';
import { sessionCaller } from '../session-caller.ts';
import { type PasskeyView, toPasskey } from './to-passkey.ts';

/** Fails with `VALIDATION_ERROR` for an invalid name, and with `NOT_FOUND`. */
export async function renamePasskey(context: SubgraphContext, id: string, typed: string): Promise<PasskeyView> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  const name = checkName('name', typed);
  return context.database.write(organizationId, async (tx) => {
    const passkey = isUuid(id) ? await findPasskeyOf(tx, organizationId, accountUserId, id) : null;
    if (!passkey) return fail('NOT_FOUND', 'There is no such passkey');
    await setPasskeyName(tx, passkey, name);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'passkey.renamed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${passkey.name} to ${name}`,
    });
    return toPasskey({ ...passkey, name });
  });
}
