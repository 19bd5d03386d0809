/** `Window.reportingMargin`: revenue and cost of a window in the organization's reporting currency. */
import { amount, plain } from '#kernel/money.ts';
import { refuseMonthsOver, type Window, windowSoFar } from '#kernel/time/window.ts';
import { microsOf } from '#kernel/time/instant.ts';
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { EndUserCostDays } from '#schema/end-user-cost-days.ts';
import { fail } from '#kernel/errors.ts';
import { MARGIN_CUSTOMERS_MAX, MARGIN_MONTHS_MAX } from '../config.ts';
import { isConnected } from '../connection/payment-connection.table.ts';
import { closedRates, knownAtOfDay } from '../currencies/closed-rates.table.ts';
import { isConversionQueued } from '../currencies/conversion-queue.table.ts';
import { SAME_CURRENCY, type ScaledRate, scaledRate } from '../currencies/convert-costs.ts';
import { currencyOfDay, LEDGER_CURRENCY } from '../currencies/currency-of-day.ts';
import { currencyChoices } from '../currencies/organization-currency.table.ts';
import { type DayRate, rateBook, rateOfDay } from '../currencies/rate-of-day.ts';
import { withSampleRates } from '../currencies/sample-rates.ts';
import { ratesOfDays } from '../currencies/rate-versions.query.ts';
import { setAsideByKind } from '../set-aside/set-aside-object.table.ts';
import { compareMargin } from './compare-in-slices.step.ts';
import { byMargin } from './compare-margin.ts';
import { convertFees } from './convert-fees.ts';
import { exchangeDifferences } from './exchange-differences.query.ts';
import { countUnknownFees, feesByDay } from './fee-sums.query.ts';
import { convertCostLines } from './convert-cost-lines.ts';
import { convertedRevenueByCustomer, waitingRevenue } from './converted-sums.query.ts';
import { feeWarnings, marginWarnings } from './margin-warnings.ts';
import { type ReportingMarginView, toReportingMargin } from './reporting-margin-view.ts';
import { uncountedAmounts } from './uncounted-amounts.query.ts';

/** Fails like `Window.margin`. */
export async function compareInCurrency(
  context: SubgraphContext,
  window: Window,
  costs: EndUserCostDays,
): Promise<ReportingMarginView> {
  refuseMonthsOver(window, MARGIN_MONTHS_MAX);
  const compared = windowSoFar(window, requestedAt(context));
  const lastDay = lastDayOf(compared);
  const organizationId = organizationOf(context);
  const read = await context.database.snapshot(organizationId, async (tx) => {
    const choices = await currencyChoices(tx, organizationId);
    const currency = currencyOfDay(choices, lastDay);
    const isLedgers = currency === LEDGER_CURRENCY;
    const fees = await feesByDay(tx, organizationId, compared, FEES_MAX + 1);
    const feeCurrencies = fees.map((fee) => fee.currency.toUpperCase()).filter((code) => code !== currency);
    const quotes = [...(isLedgers ? [] : [LEDGER_CURRENCY]), ...feeCurrencies];
    const days = [...costs.days, ...fees.map(({ day }) => day), lastDay];
    return {
      currency,
      days,
      customers: await convertedRevenueByCustomer(tx, organizationId, compared, {
        currency,
        customersMax: MARGIN_CUSTOMERS_MAX + 1,
      }),
      waiting: await waitingRevenue(tx, organizationId, compared, currency),
      isConverting: await isConversionQueued(tx, organizationId),
      fees,
      differences: choices.length === 0 ? [] : await exchangeDifferences(tx, organizationId, compared, currency),
      unknownFees: await countUnknownFees(tx, organizationId, compared),
      // If everything is in the reporting currency, no rate is read.
      book: quotes.length === 0 ? rateBook([]) : await ratesOfDays(tx, [...quotes, currency], days),
      closings: quotes.length === 0 ? [] : await closedRates(tx, organizationId),
      missing: {
        isConnected: context.principal.sampleOf !== undefined || (await isConnected(tx, organizationId)),
        otherCurrencies: [],
        setAside: await setAsideByKind(tx, organizationId),
        uncounted: await uncountedAmounts(tx, organizationId, compared, null),
        comparedUntil: compared === window ? null : compared.end,
      },
    };
  });
  const { currency, closings } = read;
  const book = context.principal.sampleOf === undefined ? read.book : withSampleRates(read.book, read.days);
  if (read.customers.length > MARGIN_CUSTOMERS_MAX)
    fail('UNPROCESSABLE_ENTITY', `A margin can have at most ${MARGIN_CUSTOMERS_MAX} customers`);
  if (read.fees.length > FEES_MAX)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A margin can have at most ${FEES_MAX} sums of fees by end user and day: use a shorter window`,
    );
  const rateOn = (from: string, day: string): DayRate | null =>
    from === currency ? null : rateOfDay(book, { from, to: currency, day, knownAtMs: knownAtOfDay(closings, day) });
  const known = new Map<string, ScaledRate | null>();
  const scaledRateOn = (from: string, day: string): ScaledRate | null => {
    if (from === currency) return SAME_CURRENCY;
    const key = `${from} ${day}`;
    const found = known.get(key) ?? scaled(rateOn(from, day));
    known.set(key, found);
    return found;
  };
  const converted = await convertCostLines(costs, (day) => scaledRateOn(LEDGER_CURRENCY, day));
  const customers = await mapInSlices(read.customers, (customer) => ({
    ...customer,
    revenue: amount(customer.revenue),
  }));
  const differences = read.differences
    .map((one) => ({ ...one, amount: amount(one.amount) }))
    .filter((one) => one.amount !== 0n);
  const differing = new Set(differences.map(({ externalId }) => externalId));
  const comparison = await compareMargin(converted.lines, customers, differing);
  const rate = rateOn(LEDGER_CURRENCY, lastDay);
  return toReportingMargin({
    currency,
    comparison: { ...comparison, endUsers: await sortInSlices(comparison.endUsers, byMargin) },
    costInUsd: converted.usd,
    latestRate: rate && { rate: plain(rate.rate), day: rate.day, from: LEDGER_CURRENCY, to: currency },
    fees: convertFees(read.fees, (from, day) => scaledRateOn(from.toUpperCase(), day)),
    differences,
    waitingRevenue: read.waiting,
    waitingCost: converted.waiting,
    isConverting: read.isConverting,
    warnings: [...marginWarnings(comparison, read.missing, currency), ...feeWarnings(read.unknownFees)],
  });
}

const FEES_MAX = 400_000;

function scaled(found: DayRate | null): ScaledRate | null {
  return found && scaledRate(found.rate);
}

function lastDayOf({ start, end }: Window): string {
  const last = microsOf(end) > microsOf(start) ? microsOf(end) - 1n : microsOf(start);
  return new Date(Number(last / 1000n)).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
