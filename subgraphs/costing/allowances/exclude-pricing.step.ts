/** Keeps an organization's ledger as it is while an allowance begins or ends. */
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { lockRates } from '../rates/rate-generation.table.ts';

const LOCK_FEED_HEAD = statement<{ organizationId: string }, { readonly organizationId: string }>(
  'select organization_id from feed_head where organization_id = :organizationId for update',
);

/**
 * Every transaction that writes costs of the organization advances its feed, and looks for allowances afterwards. Those
 * that have done so finish first; the others see what this transaction commits. Before its first priced event, an
 * organization has no feed, and all pricing waits for a moment instead.
 */
export async function excludePricing(tx: WriteTransaction, organizationId: string): Promise<void> {
  if ((await tx.first(LOCK_FEED_HEAD, { organizationId })) === null) await lockRates(tx);
}
