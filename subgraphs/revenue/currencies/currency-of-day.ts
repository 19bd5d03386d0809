/** The reporting currency that applies on a day. */

/** Currency of the ledger, and of every organization that has not chosen another. */
export const LEDGER_CURRENCY = 'USD';

/** A day before any invoice: a choice from then on applies to all months. */
export const ALL_MONTHS = '1970-01-01';

export interface CurrencyChoice {
  /** First day of the month, `YYYY-MM-DD`. */
  readonly fromMonth: string;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/** `choices` are in order of their months. */
export function currencyOfDay(choices: readonly CurrencyChoice[], day: string): string {
  return choices.findLast(({ fromMonth }) => fromMonth <= day)?.currency ?? LEDGER_CURRENCY;
}
