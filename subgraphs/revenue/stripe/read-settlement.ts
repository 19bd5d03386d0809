/** Parses how the processor converted a payment, a refund or a dispute into the currency of the account. */
import { z } from 'zod';
import { plain, quantity } from '#kernel/money.ts';
import { currencyCode, epochSeconds, minorUnits } from './read-object.ts';

export interface Settlement {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Units of `currency` for one unit of the currency that the customer paid in. */
  readonly rate: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Expanded balance transaction. The processor states its rate as a JSON number. */
export const balanceTransactionOf = z.object({
  balance_transaction: z
    .object({
      currency: currencyCode,
      exchange_rate: z.number().positive().nullish(),
      fee: minorUnits.nullish(),
      created: epochSeconds,
    })
    .nullish()
    .catch(null),
});

/** Null if the processor did not convert the amount, has not yet, or the key may not read it. */
export function settlementOf(
  transaction: z.infer<typeof balanceTransactionOf>['balance_transaction'],
): Settlement | null {
  if (!transaction?.exchange_rate) return null;
  const { currency, exchange_rate: rate, created } = transaction;
  return { currency, rate: plain(quantity(rate)), at: created };
}
