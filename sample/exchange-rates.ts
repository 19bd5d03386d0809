/**
 * Exchange rates of the imaginary product, which has its account at the payment processor in euros. They are made up: the history
 * can begin on any day, and sample data must not depend on what the operator has imported.
 */
import { DAY_MS } from '#kernel/time/duration.ts';

/** Currency of the account, and of the product's reports. ISO 4217. */
export const ACCOUNT_CURRENCY = 'EUR';

/** US dollars for one euro on a UTC day (`YYYY-MM-DD`), with four decimals like the European Central Bank's. */
export function dollarsPerEuro(day: string): string {
  const number = Date.parse(day) / DAY_MS;
  return (1.15 + 0.02 * Math.sin(number / 11) + 0.008 * Math.sin(number / 3)).toFixed(4);
}

/** What the processor credits to the account in euros for an amount in cents, and its fee of 1.5 % and 25 cents. */
export function settle(amount: number, currency: string, day: string): SettledAmount {
  const exchangeRate = currency === 'eur' ? null : Number((1 / Number(dollarsPerEuro(day))).toFixed(6));
  const settled = Math.round(amount * (exchangeRate ?? 1));
  return { currency: 'eur', exchangeRate, amount: settled, fee: Math.round(settled * 0.015) + 25 };
}

interface SettledAmount {
  /** ISO 4217, lower case, as the processor writes it. */
  readonly currency: string;
  /** Null if the amount was in euros. */
  readonly exchangeRate: number | null;
  /** In cents of the euro. */
  readonly amount: number;
  readonly fee: number;
}
