/**
 * The exchange rate of a day between any two currencies, by way of the euro. A day without rates, such as a weekend
 * day, has the rates of the last day before it, at most seven days back, never those of a later day.
 */
import { ONE, quantity, type Quantity, roundToSignificantDigits } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { BASE_CURRENCY } from './currency.ts';
import type { FxSource } from './fx-rate.table.ts';

export const DAYS_BACK_MAX = 7;

/** Significant digits of a cross rate. */
export const RATE_DIGITS = 12;

/** One version of a rate: units of `quote` for one euro. */
export interface RateVersion {
  readonly quote: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly source: FxSource;
  readonly rate: string;
  readonly importedAtMs: number;
}

export interface DayRate {
  /** Units of the target for one unit of the source, with 12 significant digits. */
  readonly rate: Quantity;
  /** The day of the rate. */
  readonly day: string;
  /** `own` if one of the two rates in it is the operator's own. */
  readonly source: FxSource;
}

interface RateRequest {
  readonly from: string;
  readonly to: string;
  readonly day: string;
  /**
   * For a closed month, the time of its closing: later versions are ignored. If no rate was known then, the rates of
   * the first later import count. Null: the newest versions.
   */
  readonly knownAtMs: number | null;
}

/** Versions by currency and day. */
export type RateBook = ReadonlyMap<string, readonly RateVersion[]>;

/** Groups versions for {@link rateOfDay}. */
export function rateBook(versions: readonly RateVersion[]): RateBook {
  return Map.groupBy(versions, ({ quote, day }) => keyOf(quote, day));
}

/** Null if no day has rates of both currencies. */
export function rateOfDay(book: RateBook, { from, to, day, knownAtMs }: RateRequest): DayRate | null {
  const days = Array.from({ length: DAYS_BACK_MAX + 1 }, (_, back) => addDays(day, -back));
  for (const untilMs of knownAtMs === null
    ? [Infinity]
    : [knownAtMs, ...importsAfter(knownAtMs, book, days, [from, to])]) {
    for (const candidate of days) {
      const [ofFrom, ofTo] = [from, to].map((quote) => euroRate(book, quote, candidate, untilMs));
      if (ofFrom && ofTo)
        return {
          rate: roundToSignificantDigits(ofTo.rate.div(ofFrom.rate), RATE_DIGITS),
          day: candidate,
          source: ofFrom.source === 'own' || ofTo.source === 'own' ? 'own' : 'ecb',
        };
    }
  }
  return null;
}

/** The newest version that was imported by then; the operator's own if there is one. */
function euroRate(
  book: RateBook,
  quote: string,
  day: string,
  untilMs: number,
): { readonly rate: Quantity; readonly source: FxSource } | null {
  if (quote === BASE_CURRENCY) return { rate: ONE, source: 'ecb' };
  const known = (book.get(keyOf(quote, day)) ?? []).filter(({ importedAtMs }) => importedAtMs <= untilMs);
  const own = known.filter(({ source }) => source === 'own');
  const newest = (own.length > 0 ? own : known).reduce<RateVersion | null>(
    (latest, version) => (latest === null || version.importedAtMs > latest.importedAtMs ? version : latest),
    null,
  );
  return newest && { rate: quantity(newest.rate), source: newest.source };
}

function importsAfter(afterMs: number, book: RateBook, days: readonly string[], quotes: readonly string[]): number[] {
  const versions = days.flatMap((day) => quotes.flatMap((quote) => book.get(keyOf(quote, day)) ?? []));
  const later = versions.map(({ importedAtMs }) => importedAtMs).filter((ms) => ms > afterMs);
  return [...new Set(later)].sort((one, other) => one - other);
}

function keyOf(quote: string, day: string): string {
  return `${quote} ${day}`;
}
