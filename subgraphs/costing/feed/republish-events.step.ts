/** Publishes the ledger's entries of changed events to consumers again. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { readLedgerFacts } from './ledger-facts.query.ts';
import { publishBatches } from './priced-batch.table.ts';
import { type EndUserTrace, seenEndUsers } from './seen-end-users.ts';

export type RepublishedEvent = EndUserTrace & { readonly id: string };

/** Test events are left out. `replaces`: id of the end user that these events belonged to. */
export async function republishEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  events: readonly RepublishedEvent[],
  replaces: string | null,
): Promise<void> {
  const live = events.filter(({ livemode }) => livemode);
  const ids = live.map(({ id }) => id);
  const facts = await readLedgerFacts(tx, organizationId, ids);
  const endUsers = seenEndUsers(live).map((seen) => (replaces === null ? seen : { ...seen, replaces }));
  await publishBatches(tx, [{ organizationId, facts, endUsers }]);
}
