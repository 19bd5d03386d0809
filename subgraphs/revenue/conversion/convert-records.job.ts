/** Fixes the exchange rates of invoices and converts their records, a few invoices of one organization per step. */
import type { OrganizationId } from '#kernel/ids.ts';
import { plain, quantity, roundToSignificantDigits } from '#kernel/money.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { advanceConversion, claimConversion, CONVERSION_CHANNEL } from '../currencies/conversion-queue.table.ts';
import { rateOfDay, RATE_DIGITS } from '../currencies/rate-of-day.ts';
import { ratesOfDays } from '../currencies/rate-versions.query.ts';
import { convertEntries, pendingInvoices } from './converted-entry.table.ts';
import { type FixedRate, fixRates, missingRates } from './invoice-rate.table.ts';

const INVOICES_PER_STEP = 200;
const REST_MILLISECONDS = 5_000;

export function convertRecordsJob({ database }: SubgraphDependencies): Job {
  return {
    name: 'revenue-conversion',
    restMilliseconds: REST_MILLISECONDS,
    channel: CONVERSION_CHANNEL,
    step: () =>
      database.system(async (tx) => {
        const claimed = await claimConversion(tx);
        if (claimed === null) return 'idle';
        const { organizationId, afterInvoice } = claimed;
        const invoiceIds = await pendingInvoices(tx, organizationId, afterInvoice, INVOICES_PER_STEP);
        await fixMissingRates(tx, organizationId, invoiceIds, await databaseTime(tx));
        await convertEntries(tx, organizationId, invoiceIds);
        const isOver = invoiceIds.length < INVOICES_PER_STEP;
        await advanceConversion(tx, organizationId, isOver ? null : invoiceIds.at(-1)!);
        return 'more';
      }),
  };
}

/**
 * The processor's rate if it has settled the payment, otherwise the rate of the invoice's day. Without either, the
 * invoice waits.
 */
async function fixMissingRates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
  now: Date,
): Promise<void> {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const missing = await missingRates(tx, organizationId, invoiceIds);
  const book = await ratesOfDays(
    tx,
    missing.flatMap(({ fromCurrency, toCurrency }) => [fromCurrency, toCurrency]),
    missing.map(({ day }) => day),
  );
  const fixed = missing.flatMap((invoice): FixedRate[] => {
    const { invoiceId, fromCurrency, toCurrency, day, settledRate, settledDay } = invoice;
    const names = { invoiceId, fromCurrency, toCurrency };
    if (settledRate !== null && settledDay !== null) {
      const rate = roundToSignificantDigits(quantity(settledRate), RATE_DIGITS);
      return [{ ...names, rate: plain(rate), rateDay: settledDay, source: 'settlement' }];
    }
    const found = day > today ? null : rateOfDay(book, { from: fromCurrency, to: toCurrency, day, knownAtMs: null });
    return found === null ? [] : [{ ...names, rate: plain(found.rate), rateDay: found.day, source: found.source }];
  });
  await fixRates(tx, organizationId, fixed, now);
}
