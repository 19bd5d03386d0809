/**
 * Prices that the catalogue omits: in pricing contexts, and of some token classes. Entered by hand per model, never per
 * provider; each row names its source and the date it was read. The catalogue's own prices win as soon as they exist.
 * To be reviewed by a person.
 */
import { money, ONE, quantity } from '#kernel/money.ts';
import { type IsoSpan, isWithinSpan, startMs } from '#kernel/time/iso-span.ts';
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import type { RateVariant, TokenRates } from './rate-card-version.ts';
import { isOfCard, longWriteRate, STATED_CLASSES } from './stated-classes.ts';
import { STATED_CONTEXTS, type StatedContext } from './stated-contexts.ts';
import { STATED_BATCHES } from './stated-batches.ts';
import { REGION_KEYS, STATED_REGIONS, type StatedRegion } from './stated/stated-regions.ts';

const ROWS = [...STATED_BATCHES, ...STATED_CONTEXTS];

/** Rows for a catalogue card that apply at an instant. */
export function statedVariants(provider: string, modelSlug: string, atMs: number): RateVariant[] {
  const rows = ROWS.filter((row) => row.provider === provider && row.models.includes(modelSlug));
  const contexts = rows.flatMap((row) => (isWithinSpan(row, atMs) ? variantsOf(row) : variantsAfter(row, atMs)));
  const regions = STATED_REGIONS.filter((row) => row.provider === provider && row.models.test(modelSlug));
  return [...contexts, ...regions.filter((row) => isWithinSpan(row, atMs)).map(variantOfRegion)];
}

function variantOfRegion({ context, factor, source, date }: StatedRegion): RateVariant {
  return {
    context,
    class: 'all',
    aboveInputTokens: 0,
    rate: null,
    factor: quantity(factor),
    source: `${source}, ${date}`,
  };
}

/** The periods for which a card has rows. */
export function statedSpans(provider: string, modelSlug: string): IsoSpan[] {
  const rows = [...ROWS, ...STATED_CLASSES, ...STATED_REGIONS].filter((row) => isOfCard(row, provider, modelSlug));
  return rows.filter((row) => (row.from ?? row.until) !== undefined);
}

function variantsAfter({ context, until, afterwards, source, date }: StatedContext, atMs: number): RateVariant[] {
  if (afterwards === undefined || atMs < startMs(until)) return [];
  const ended = `not offered since ${until}, billed at the standard rate: ${source}, ${date}`;
  return [{ context, class: 'all', aboveInputTokens: 0, rate: null, factor: ONE, source: ended }];
}

function variantsOf({ context, prices, units = {}, source, date }: StatedContext): RateVariant[] {
  return [...CLASSES, ...Object.keys(units)].flatMap((name): RateVariant[] => {
    const price = units[name] ?? prices[name as TokenClass | 'all'];
    if (!price) return [];
    return [
      {
        context,
        class: name,
        aboveInputTokens: 0,
        rate: 'rate' in price ? money(price.rate) : null,
        factor: 'factor' in price ? quantity(price.factor) : null,
        source: `${source}, ${date}`,
      },
    ];
  });
}

const CLASSES: readonly (TokenClass | 'all')[] = [...TOKEN_CLASS_NAMES, 'all'];

/** Fills in stated rates for classes without a catalogue rate. */
export function withStatedClasses(provider: string, modelSlug: string, rates: TokenRates, atMs: number): TokenRates {
  const rows = STATED_CLASSES.filter((row) => isOfCard(row, provider, modelSlug) && isWithinSpan(row, atMs));
  const stated: Partial<Record<TokenClass, TokenRates[TokenClass]>> = {};
  for (const row of rows) {
    for (const name of TOKEN_CLASS_NAMES) {
      const price = row.rates[name];
      if (!price || rates[name] !== null) continue;
      stated[name] =
        'rate' in price ? money(price.rate) : (rates[price.like]?.times(quantity(price.factor ?? '1')) ?? null);
    }
  }
  const all = rows.length === 0 ? rates : { ...rates, ...stated };
  const cacheCreation1h = longWriteRate(provider, modelSlug, all);
  return cacheCreation1h === all.cacheCreation1h ? all : { ...all, cacheCreation1h };
}

/** Providers that resell models of another provider under the same context keys. */
const SAME_KEYS: ReadonlyMap<string, string> = new Map([['azure', 'openai']]);
const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * Keys by which a provider prices models without rows here: Bedrock's priority, flexible and latency-optimized calls
 * (docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html, 2026-11-22), clouds of the American
 * government, OpenRouter's tiers.
 */
const KEYS_WITHOUT_ROWS: Readonly<Record<string, readonly string[]>> = {
  aws: ['tier', 'latency', 'partition'],
  openai: ['partition'],
  openrouter: ['tier'],
};

const KEYS_BY_PROVIDER: ReadonlyMap<string, ReadonlySet<string>> = keysByProvider();

function keysByProvider(): ReadonlyMap<string, ReadonlySet<string>> {
  const keys = new Map<string, Set<string>>();
  const add = (provider: string, more: readonly string[]) =>
    keys.set(provider, new Set([...(keys.get(provider) ?? []), ...more]));
  for (const { provider, context, units } of ROWS) {
    // Keys that only affect a fee are not required on a card.
    if (units === undefined)
      add(
        provider,
        context.split(',').map((pair) => pair.slice(0, pair.indexOf('='))),
      );
  }
  for (const provider of [...keys.keys()]) add(provider, REGION_KEYS.get(provider) ?? []);
  for (const [provider, more] of Object.entries(KEYS_WITHOUT_ROWS)) add(provider, more);
  return keys;
}

/** Context keys by which a provider prices anything. */
export function pricedKeysOf(provider: string | null): ReadonlySet<string> {
  if (provider === null) return NO_KEYS;
  return KEYS_BY_PROVIDER.get(SAME_KEYS.get(provider) ?? provider) ?? NO_KEYS;
}
