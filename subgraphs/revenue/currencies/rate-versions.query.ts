/** All versions of the rates that some days may use. */
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { BASE_CURRENCY } from './currency.ts';
import { DAYS_BACK_MAX, type RateBook, rateBook, type RateVersion } from './rate-of-day.ts';

const RATE_VERSIONS = statement(
  (input: Parameters<{ quotes: readonly string[]; days: readonly string[] }>) => sql<RateVersion>`
    select quote, day::text, source, rate::text, (extract(epoch from imported_at) * 1000)::float8 as imported_at_ms
    from fx_rate join (
      select distinct (wanted - back)::date as day
      from unnest(${input.days}::date[]) as wanted cross join generate_series(0, ${sql.lit(DAYS_BACK_MAX)}) as back) as needed using (day)
    where quote = any(${input.quotes}::text[])`,
);

/** `days`: `YYYY-MM-DD`. Reads nothing if the euro is the only currency. */
export async function ratesOfDays(
  tx: Transaction,
  currencies: readonly string[],
  days: readonly string[],
): Promise<RateBook> {
  const quotes = [...new Set(currencies)].filter((currency) => currency !== BASE_CURRENCY);
  if (quotes.length === 0 || days.length === 0) return rateBook([]);
  return rateBook(await tx.all(RATE_VERSIONS, { quotes, days: [...new Set(days)] }));
}

const NEWEST_DAY = statement(
  ({ quote }: Parameters<{ quote: string }>) =>
    sql<{ day: string | null }>`select max(day)::text as day from fx_rate where quote = ${quote}`,
);

/** The newest day with a rate of a currency; null if none was ever imported. */
export async function newestRateDay(tx: Transaction, quote: string): Promise<string | null> {
  return (await tx.one(NEWEST_DAY, { quote })).day;
}
