/** Sets an organization's reporting currency from a month on, and has its records converted. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { ReportingCurrency } from '../resolvers.generated.ts';
import { closedRates } from './closed-rates.table.ts';
import { queueConversion } from './conversion-queue.table.ts';
import { BASE_CURRENCY, parseCurrency } from './currency.ts';
import { ALL_MONTHS, LEDGER_CURRENCY } from './currency-of-day.ts';
import { currencyChoices, saveCurrencyChoice } from './organization-currency.table.ts';
import { readReportingCurrency } from './read-reporting-currency.step.ts';
import { newestRateDay } from './rate-versions.query.ts';

/** Maximum number of reporting currencies: records are converted into each of them. */
const CURRENCIES_MAX = 5;

export interface CurrencyInput {
  readonly currency: string;
  /** `YYYY-MM`. Default: the first month that is not closed, or all months. */
  readonly from?: string | null | undefined;
}

/** Fails with `VALIDATION_ERROR` or `UNPROCESSABLE_ENTITY`. */
export function setOrganizationCurrency(
  context: SubgraphContext,
  { currency: given, from }: CurrencyInput,
): Promise<ReportingCurrency> {
  const organizationId = organizationOf(context);
  const currency = parseCurrency('currency', given);
  const asked = from === undefined || from === null ? null : parseMonth(from);
  return context.database.write(organizationId, async (tx) => {
    // Every stored rate is for one euro, so the euro can be converted if a rate of the dollar is known.
    const stated = currency === BASE_CURRENCY ? LEDGER_CURRENCY : currency;
    if (currency !== LEDGER_CURRENCY && (await newestRateDay(tx, stated)) === null)
      fail('VALIDATION_ERROR', `currency: no exchange rates of ${currency} are imported`);
    const closedUntil = (await closedRates(tx, organizationId)).at(-1)?.closedUntil ?? null;
    if (asked !== null && closedUntil !== null && asked < closedUntil)
      fail('VALIDATION_ERROR', `from must not be a closed month: the first open one is ${closedUntil.slice(0, 7)}`);
    const fromMonth = asked ?? closedUntil ?? ALL_MONTHS;
    const kept = (await currencyChoices(tx, organizationId)).filter((choice) => choice.fromMonth < fromMonth);
    if (new Set([...kept.map((choice) => choice.currency), currency]).size > CURRENCIES_MAX)
      fail('UNPROCESSABLE_ENTITY', `An organization can report in at most ${CURRENCIES_MAX} currencies over time`);
    await saveCurrencyChoice(tx, organizationId, { fromMonth, currency });
    await queueConversion(tx, organizationId);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'currency.set',
      ...actorOf(context.principal),
      detail: fromMonth === ALL_MONTHS ? currency : `${currency} from ${fromMonth.slice(0, 7)}`,
    });
    return readReportingCurrency(tx, organizationId);
  });
}

function parseMonth(text: string): string {
  return /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/.test(text)
    ? `${text}-01`
    : fail('VALIDATION_ERROR', 'from must be a month such as 2026-03');
}
