/** Reads an organization's reporting currency, now and over time. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { ReportingCurrency } from '../resolvers.generated.ts';
import { isConversionQueued } from './conversion-queue.table.ts';
import { BASE_CURRENCY } from './currency.ts';
import { currencyOfDay, LEDGER_CURRENCY } from './currency-of-day.ts';
import { currencyChoices } from './organization-currency.table.ts';
import { newestRateDay } from './rate-versions.query.ts';

export async function readReportingCurrency(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<ReportingCurrency> {
  const today = now().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const choices = await currencyChoices(tx, organizationId);
  const currency = currencyOfDay(choices, today);
  return {
    currency,
    choices: choices.map((choice) => ({
      currency: choice.currency,
      from: choice.fromMonth.slice(0, 'YYYY-MM'.length),
    })),
    // The euro has no rate of its own, so its newest day is the dollar's.
    newestRateDay: await newestRateDay(tx, currency === BASE_CURRENCY ? LEDGER_CURRENCY : currency),
    isConverting: await isConversionQueued(tx, organizationId),
  };
}
