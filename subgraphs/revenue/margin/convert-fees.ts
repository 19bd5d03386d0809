/** The processor's fees in a reporting currency, by end user. */
import { type Amount, amount, plain } from '#kernel/money.ts';
import { convertCosts, type ScaledRate } from '../currencies/convert-costs.ts';
import { fromMinorUnits } from '../stripe/minor-units.ts';
import type { DayFees } from './fee-sums.query.ts';

export interface ConvertedFees {
  readonly total: Amount;
  /** Fees by external id. Fees without an end user are in the total only. */
  readonly byEndUser: ReadonlyMap<string, Amount>;
  /** Fees without an exchange rate, by their currency (lower case). No other figure includes them. */
  readonly waiting: ReadonlyMap<string, Amount>;
}

/** The fees of an end user are rounded once, and the total is the sum over end users and the fees without one. */
export function convertFees(
  fees: readonly DayFees[],
  rateOf: (currency: string, day: string) => ScaledRate | null,
): ConvertedFees {
  const byEndUser = new Map<string, Amount>();
  const waiting = new Map<string, Amount>();
  let total = 0n;
  for (const [externalId, own] of Map.groupBy(fees, (fee) => fee.externalId)) {
    const rates = own.map(({ currency, day }) => rateOf(currency, day));
    const amounts = own.map(({ feeMinor, currency }) => amount(plain(fromMinorUnits(BigInt(feeMinor), currency))));
    const { converted } = convertCosts(
      amounts.map((fee, index) => [index, fee]),
      rates,
    );
    total += converted;
    if (externalId !== null) byEndUser.set(externalId, converted);
    for (const [index, { currency }] of own.entries())
      if (rates[index] === null) waiting.set(currency, (waiting.get(currency) ?? 0n) + amounts[index]!);
  }
  return { total, byEndUser, waiting };
}
