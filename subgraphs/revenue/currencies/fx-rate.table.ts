/**
 * Exchange rates of the installation: units of a currency for one euro on a day. Rows are only added; a corrected rate
 * is a newer row.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { jobsRole, servingRole } from '#platform/database/roles.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

/**
 * `own`: stated by the operator. If both exist for a currency and day, the operator's rate is used instead of the
 * European Central Bank's.
 */
export const FX_SOURCES = ['ecb', 'own'] as const;
export type FxSource = (typeof FX_SOURCES)[number];

export const FxRateTable = defineEntity({
  name: 'FxRate',
  tableName: 'fx_rate',
  // Every organization reads all rows; only operators and jobs add some.
  rowLevelSecurity: 'force',
  policies: [
    { name: 'read', command: 'select', roles: [servingRole('revenue')], using: 'true' },
    { name: 'jobs', roles: [jobsRole('revenue')], using: 'true', check: 'true' },
  ],
  properties: {
    /** ISO 4217, upper case. */
    quote: p.text().primary(),
    day: p.date().primary(),
    source: p.enum(FX_SOURCES).primary(),
    importedAt: p.datetime(3).primary(),
    /** Units of `quote` for one euro. */
    rate: p.decimal().precision(20).scale(10),
  },
  indexes: [{ name: 'fx_rate_day_index', properties: ['day', 'quote'] }],
  checks: [{ name: 'fx_rate_positive', expression: 'rate > 0' }],
});

export interface StatedRate {
  readonly quote: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Units of `quote` for one euro. */
  readonly rate: string;
}

const ADD_FX_RATES = statement(
  (
    input: Parameters<{
      quotes: readonly string[];
      days: readonly string[];
      rates: readonly string[];
      source: FxSource;
      now: Date;
    }>,
  ) => sql<{ added: number; corrected: number }>`
    with given as (
      select given.quote, given.day, given.rate, known.rate as known_rate
      from unnest(${input.quotes}::text[], ${input.days}::date[], ${input.rates}::numeric[]) as given (quote, day, rate)
      left join lateral (
        select rate from fx_rate where fx_rate.quote = given.quote and fx_rate.day = given.day and source = ${input.source}
        order by imported_at desc limit 1) as known on true
      where known.rate is distinct from given.rate),
    written as (
      insert into fx_rate (quote, day, source, imported_at, rate)
      select quote, day, ${input.source}, ${input.now}, rate from given)
    select (count(*) filter (where known_rate is null))::float8 as added, (count(known_rate))::float8 as corrected from given`,
);

/** Adds rates that are unknown or differ from the newest known one of their day. Returns how many of each. */
export function addFxRates(
  tx: WriteTransaction,
  source: FxSource,
  rates: readonly StatedRate[],
  now: Date,
): Promise<{ added: number; corrected: number }> {
  return tx.one(ADD_FX_RATES, {
    quotes: rates.map(({ quote }) => quote),
    days: rates.map(({ day }) => day),
    rates: rates.map(({ rate }) => rate),
    source,
    now,
  });
}

export interface ListedRate {
  quote: string;
  day: string;
  source: string;
  rate: string;
  importedAt: string;
}

interface RateList {
  /** Null for all currencies. */
  readonly quote: string | null;
  readonly from: string | null;
  readonly until: string | null;
  /** Day and currency of the last item of the previous page. */
  readonly afterDay: string | null;
  readonly afterQuote: string;
  readonly limit: number;
}

const LIST_FX_RATES = statement(
  (input: Parameters<RateList>) => sql<ListedRate>`
    select distinct on (day, quote) quote, day::text, source, trim_scale(rate)::text as rate, ${sql.raw(isoMillis('imported_at'))} as imported_at
    from fx_rate
    where (${input.quote}::text is null or quote = ${input.quote}) and (${input.from}::date is null or day >= ${input.from}::date)
      and (${input.until}::date is null or day < ${input.until}::date)
      and (${input.afterDay}::date is null or day < ${input.afterDay}::date or (day = ${input.afterDay}::date and quote > ${input.afterQuote}))
    order by day desc, quote, source desc, fx_rate.imported_at desc limit ${input.limit}`,
);

/** The newest version of each day's rate, the operator's own first: latest day first, then by currency. */
export function listFxRates(tx: Transaction, list: RateList): Promise<ListedRate[]> {
  return tx.all(LIST_FX_RATES, list);
}
