/** Erases an end user from outcomes: pseudonyms replace it, its sessions and its tasks. No figure changes. */
import { endUserId } from '#kernel/end-user-id.ts';
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { checkErasure } from '#platform/subgraph/check-erasure.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { AttributionErasure } from '../resolvers.generated.ts';
import {
  ERASE_OUTCOMES,
  erasedName,
  FIND_OUTCOMES_OF,
  KEEP_THEIR_EVENTS,
  LIST_SUBJECTS,
} from './erased-outcomes.query.ts';

/**
 * Must run before costing erases the end user from its events, while facts still name their sessions. Repeating it with
 * the same arguments changes nothing.
 */
export async function eraseAttributionEndUser(
  context: SubgraphContext,
  { externalId, pseudonym }: { readonly externalId: string; readonly pseudonym: string },
): Promise<AttributionErasure> {
  checkErasure({ externalId, pseudonym });
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'outcomes', organizationId);
    // Erasing looks up the outcome of each event, and an end user may have millions of events.
    await liftTimeLimit(tx);
    const of = { organizationId, externalId, endUserId: endUserId(organizationId, externalId) };
    const keys = (await tx.all(FIND_OUTCOMES_OF, of)).map(({ key }) => key);
    if (keys.length > 0) {
      for (const keep of KEEP_THEIR_EVENTS) await tx.run(keep, { organizationId, keys });
      const subjects = await tx.all(LIST_SUBJECTS, { organizationId, keys, externalId });
      const replacements = Object.fromEntries(subjects.map(({ subject }) => [subject, erasedName()]));
      for (const erase of ERASE_OUTCOMES)
        await tx.run(erase, { organizationId, keys, externalId, pseudonym, subjects: JSON.stringify(replacements) });
    }
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'end_user.erased',
      ...actorOf(context.principal),
      detail: `${keys.length} outcomes`,
    });
    return { outcomes: keys.length };
  });
}
