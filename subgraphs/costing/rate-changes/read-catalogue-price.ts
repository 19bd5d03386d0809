/** Converts one price of the default catalogue into a rate card version, or rejects it as a whole. */
import type { ModelPrice } from '@pydantic/genai-prices';
import { money, type Money, plain, ZERO } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { NO_RATES, type RateCardVersion, type RateTier, type TokenRates } from '../rates/rate-card-version.ts';

const SIGNIFICANT_DIGITS = 12;
const FRACTION_DIGITS_MAX = 9;
const RATE_MAX = money('1000');

export type CataloguePrice =
  | { readonly kind: 'price'; readonly version: RateCardVersion; readonly omitted: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };

const TOKEN_KEYS: Readonly<Record<string, TokenClass>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_write_mtok: 'cacheCreation',
  cache_write_1h_mtok: 'cacheCreation1h',
  cache_read_mtok: 'cacheRead',
  output_reasoning_mtok: 'reasoning',
  input_audio_mtok: 'inputAudio',
  output_audio_mtok: 'outputAudio',
  cache_audio_read_mtok: 'cacheReadAudio',
  input_image_mtok: 'inputImage',
  output_image_mtok: 'outputImage',
  cache_image_read_mtok: 'cacheReadImage',
  input_video_mtok: 'inputVideo',
  output_video_mtok: 'outputVideo',
};

/** Number of units that the catalogue's price is for. */
const UNIT_KEYS: Readonly<Record<string, { readonly name: string; readonly per: number }>> = {
  web_searches_kcount: { name: 'web_searches', per: 1_000 },
  storage_searches_kcount: { name: 'storage_searches', per: 1_000 },
  requests_kcount: { name: 'requests', per: 1_000 },
  input_text_messages_kcount: { name: 'input_text_messages', per: 1_000 },
  search_units_kcount: { name: 'search_units', per: 1_000 },
  audio_hours: { name: 'audio_hours', per: 1 },
  input_audio_hours: { name: 'input_audio_hours', per: 1 },
  input_document_kpages: { name: 'document_pages', per: 1_000 },
  output_citation_mtok: { name: 'citation_tokens', per: 1_000_000 },
  input_annotated_document_kpages: { name: 'annotated_document_pages', per: 1_000 },
};

/** The unit of a model without token rates, i.e. what its `units` count: the first of these that the price contains. */
const MAIN_UNITS: readonly string[] = ['audio_hours', 'input_audio_hours', 'document_pages', 'search_units'];

type Read = { rates: TokenRates; tiers: Map<number, TokenRates>; units: Map<string, Money>; omitted: string[] };

/** An empty price counts as zero if `free`, and is rejected otherwise. One invalid number rejects the whole price. */
export function readCataloguePrice(price: ModelPrice, free: boolean): CataloguePrice {
  const read: Read = { rates: NO_RATES, tiers: new Map(), units: new Map(), omitted: [] };
  if (free && Object.keys(price).length === 0) read.rates = { ...NO_RATES, input: ZERO, output: ZERO };
  for (const [key, value] of Object.entries(price)) {
    const problem = value === undefined ? null : readKey(read, key, value);
    if (problem) return { kind: 'refused', why: `${key}: ${problem}` };
  }
  const main = hasRate(read.rates) ? undefined : MAIN_UNITS.find((name) => read.units.has(name));
  if (!hasRate(read.rates) && !main)
    return { kind: 'refused', why: 'the price contains nothing that a rate card can store' };
  const others = [...read.units].filter(([name]) => !main || !MAIN_UNITS.includes(name));
  const tiers = [...read.tiers].map(([aboveInputTokens, rates]): RateTier => ({ aboveInputTokens, ...rates }));
  return {
    kind: 'price',
    omitted: read.omitted,
    version: {
      rates: read.rates,
      tiers: tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens),
      unitPrices: Object.fromEntries(others),
      perUnit: main ? (read.units.get(main) ?? null) : null,
      perUnitName: main ?? null,
    },
  };
}

/** Adds one key to the result. Returns an error text, or null. */
function readKey(read: Read, key: string, value: NonNullable<ModelPrice[string]>): string | null {
  const { base, tiers } = typeof value === 'number' ? { base: value, tiers: [] } : value;
  const rate = canonicalRate(base);
  if ('refused' in rate) return rate.refused;

  const unit = UNIT_KEYS[key];
  if (unit && tiers.length === 0) {
    read.units.set(unit.name, rate.rate.div(unit.per));
    return null;
  }
  const tokenClass = TOKEN_KEYS[key];
  if (!tokenClass) {
    read.omitted.push(`${key}: cards have no such class; its tokens are charged as plain ones`);
    return null;
  }
  read.rates = { ...read.rates, [tokenClass]: rate.rate };
  for (const tier of tiers) {
    const above = canonicalRate(tier.price);
    if ('refused' in above) return above.refused;
    read.tiers.set(tier.start, { ...(read.tiers.get(tier.start) ?? NO_RATES), [tokenClass]: above.rate });
  }
  return null;
}

function hasRate(rates: TokenRates): boolean {
  return rates.input !== null || rates.output !== null;
}

type CanonicalRate = { readonly rate: Money } | { readonly refused: string };

/**
 * Converts a source's price, a double, to the intended decimal, or rejects it.
 *
 * Rounding to twelve significant digits removes the double's noise (0.18000000000000002 becomes 0.18). Rejects prices
 * below 0, above 1,000 USD per million tokens (or per unit), and with more than nine decimals.
 */
export function canonicalRate(value: number): CanonicalRate {
  if (!Number.isFinite(value)) return { refused: `${value} is not a price` };
  const rate = money(String(value)).toSignificantDigits(SIGNIFICANT_DIGITS);
  if (rate.lt(0)) return { refused: `${value} is below 0` };
  if (rate.gt(RATE_MAX)) return { refused: `${value} is above ${plain(RATE_MAX)}` };
  if (rate.decimalPlaces() <= FRACTION_DIGITS_MAX) return { rate };
  return { refused: `${value} has more than ${FRACTION_DIGITS_MAX} decimals` };
}
