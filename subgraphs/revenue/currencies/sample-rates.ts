/** Exchange rates of sample data, if the operator has imported none. */
import { dollarsPerEuro } from '../../../sample/exchange-rates.ts';
import { LEDGER_CURRENCY } from './currency-of-day.ts';
import { type RateBook, rateBook } from './rate-of-day.ts';

/** `book` itself if it has a rate of the dollar. */
export function withSampleRates(book: RateBook, days: readonly string[]): RateBook {
  if ([...book.values()].flat().some(({ quote }) => quote === LEDGER_CURRENCY)) return book;
  return rateBook(
    [...new Set(days)].map((day) => ({
      quote: LEDGER_CURRENCY,
      day,
      source: 'own',
      rate: dollarsPerEuro(day),
      importedAtMs: 0,
    })),
  );
}
