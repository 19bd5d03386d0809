/** Keeps an organization's ledger unchanged while an allowance is created or removed. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { lockRates } from '../rates/rate-generation.table.ts';

const LOCK_FEED_HEAD = statement<{ organizationId: OrganizationId }, { readonly organizationId: OrganizationId }>(
  'select organization_id from feed_head where organization_id = :organizationId for update',
);

/**
 * Every transaction that writes costs of the organization advances its feed and then looks for allowances. This lock
 * therefore waits for the transactions that have advanced the feed already; later ones see what this transaction
 * commits. An organization without a priced event has no feed, so all pricing waits for a moment instead.
 */
export async function excludePricing(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  if ((await tx.first(LOCK_FEED_HEAD, { organizationId })) === null) await lockRates(tx);
}
