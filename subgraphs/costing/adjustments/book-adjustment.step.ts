/** Books an adjustment on its day, or on the first open day if its month is closed. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { insertAdjustment, type NewAdjustment } from './cost-adjustment.table.ts';

/**
 * Returns false if the adjustment was booked before. Closing a month takes the same lock, so no month is closed in
 * between.
 */
export async function bookAdjustment(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  adjustment: Omit<NewAdjustment, 'bookedDay'>,
): Promise<boolean> {
  await shareRates(tx);
  const { day } = adjustment;
  const firstOpen = (await findClosedUntil(tx, organizationId))?.slice(0, day.length) ?? day;
  return insertAdjustment(tx, organizationId, { ...adjustment, bookedDay: firstOpen > day ? firstOpen : day });
}
