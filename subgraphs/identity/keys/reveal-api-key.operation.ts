/** Shows a test key again. Live keys cannot be shown: only their hash is stored. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import { findApiKey } from './api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';
import { isUuid } from '#kernel/uuid.ts';
import { API_KEY_SEAL } from '../secrets/secret-purposes.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

/** Fails with `FORBIDDEN` and `actionHint: SIGN_IN_AGAIN` if the sign-in was too long ago. */
export async function revealApiKey(
  context: SubgraphContext,
  id: string,
  sealing: Sealing,
): Promise<{ apiKey: string }> {
  const { organizationId } = sessionCaller(context.principal);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    await requireRecentSignIn(tx, context, 'showing a key');
    const key = isUuid(id) ? await findApiKey(tx, organizationId, id, keyOwnerFilter(context.principal)) : null;
    if (!key) return fail('NOT_FOUND', 'There is no such API key');
    if (key.sealed == null) {
      const reason =
        key.environment === 'live'
          ? 'A live key is shown only once, when it is created'
          : 'The secret of this test key was lost: rotate it';
      return fail('VALIDATION_ERROR', reason);
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'api_key.revealed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: key.name,
    });
    return { apiKey: sealing.unseal(key.sealed, API_KEY_SEAL, key.id) };
  });
}
