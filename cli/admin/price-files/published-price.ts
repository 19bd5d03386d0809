/** One published price as `catalogueCheck` takes it, and code shared by the readers of all formats. */
import { money, plain } from '#kernel/money.ts';

export interface PublishedPrice {
  readonly provider: string;
  readonly model: string;
  /** Sorted `key=value` pairs; empty for the standard context. */
  readonly context: string;
  /** 0: no minimum. */
  readonly aboveInputTokens: number;
  readonly rates: PublishedRate[];
}

interface PublishedRate {
  /** Token class as named in the graph: `input`, `cache_read`. */
  readonly class: string;
  /** USD per million tokens. */
  readonly rate: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FRACTION_DIGITS = 15;

/** A stated price, times a factor. Null for anything else, and for zero: these files write zero for unknown prices. */
function rateOf(value: unknown, factor: number): string | null {
  const price = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) return null;
  return plain(money(String(price)).times(factor).toDecimalPlaces(FRACTION_DIGITS));
}

/** Rates in the fields that name token classes. */
export function ratesOf(
  prices: JsonObject,
  classes: Readonly<Record<string, string>>,
  factor: number,
): PublishedRate[] {
  return Object.entries(classes).flatMap(([field, name]) => {
    const rate = rateOf(prices[field], factor);
    return rate === null ? [] : [{ class: name, rate }];
  });
}

/** Omits contexts and tiers for which the file states no rate. */
export function withRates(prices: readonly PublishedPrice[]): PublishedPrice[] {
  return prices.filter(({ rates }) => rates.length > 0);
}
