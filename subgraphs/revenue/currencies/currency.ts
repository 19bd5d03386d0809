/** Currency codes of requests: ISO 4217, accepted in any case and stored in upper case. */
import { fail } from '#kernel/errors.ts';

/** All stored rates are for one euro. */
export const BASE_CURRENCY = 'EUR';

/** Fails with `VALIDATION_ERROR`. */
export function parseCurrency(name: string, text: string): string {
  const code = text.toUpperCase();
  return /^[A-Z]{3}$/.test(code)
    ? code
    : fail('VALIDATION_ERROR', `${name} must be a currency code of three letters, such as EUR`);
}
