/**
 * Finds the rate of each token class in a pricing context: context rates are applied before factors, most specific
 * first (decision 38).
 */
import { type Money, plain, type Quantity } from '#kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '#schema/token-classes.ts';
import { chooseTier } from '../rates/choose-tier.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { RateCardVersion, RateVariant, TokenRates } from '../rates/rate-card-version.ts';
import { contextPairs, isWithinHours, joinContext } from './pricing-context.ts';

export interface ContextRates {
  /** The context used to find the price: without pairs that no price depends on, and with the card's hours. */
  readonly context: string;
  /** Pairs of the context that the card does not price, ignored by the organization's choice; empty if none. */
  readonly unknownContext: string;
  readonly rates: TokenRates;
  /** Threshold of the tier that was used; null on the base level. */
  readonly aboveInputTokens: number | null;
  /** For classes whose rate depends on the context: the row used, and the reason. */
  readonly why: Readonly<Partial<Record<TokenClass, string>>>;
}

/** Everything a price may depend on besides tokens. */
export interface PriceContext {
  /** As returned by `readPricingContext`. */
  readonly context: string;
  readonly atMs: number;
  /**
   * Keys that any price of the provider depends on. A card cannot price an event with such a key unless it has the
   * key's value.
   */
  readonly pricedKeys: ReadonlySet<string>;
  /** The organization's choice for pairs that the card does not price: ignore them instead of waiting (decision 43). */
  readonly unknownAtBase?: boolean;
}

const NO_REASONS: ContextRates['why'] = {};

/** Cached, since one version prices many events. */
const knownPairs = new WeakMap<readonly RateVariant[], ReadonlySet<string>>();

/** Pairs that occur in any of the variants. */
function namedPairs(variants: readonly RateVariant[]): ReadonlySet<string> {
  const known = knownPairs.get(variants);
  if (known) return known;
  const named = new Set(variants.flatMap((variant) => contextPairs(variant.context)));
  knownPairs.set(variants, named);
  return named;
}

interface Served {
  /** Pairs that the card prices, as written on the card. */
  readonly pairs: readonly string[];
  /**
   * The pairs that the event itself states, such as `region=europe-west1`, even if the card prices all regions alike
   * (`region=*`).
   */
  readonly said: readonly string[];
  readonly unknown: readonly string[];
}

/** Returns a string with the missing pairs if the event has to wait for them. */
function servedBy(variants: readonly RateVariant[], served: PriceContext): Served | string {
  const named = namedPairs(variants);
  const ofCard = (pair: string) => [pair, `${keyOf(pair)}=*`].find((name) => named.has(name));
  const priced = contextPairs(served.context).filter(
    (pair) => ofCard(pair) !== undefined || served.pricedKeys.has(keyOf(pair)),
  );
  const unknown = priced.filter((pair) => ofCard(pair) === undefined);
  if (unknown.length > 0 && served.unknownAtBase !== true)
    return `unknown_context: the rate card has no price for ${unknown.join(', ')}`;
  const hours = [...named].filter((pair) => isWithinHours(pair, served.atMs));
  const known = priced.filter((pair) => ofCard(pair) !== undefined);
  return { pairs: [...known.flatMap((pair) => ofCard(pair) ?? []), ...hours], said: [...known, ...hours], unknown };
}

/** Returns the reason, a string, if the card cannot price the context. */
export function contextRates(
  version: RateCardVersion,
  totalInput: Quantity,
  priceContext: PriceContext,
): ContextRates | string {
  const tier = chooseTier(version, totalInput);
  const { aboveInputTokens } = tier;
  const base = effectiveRates(tier.rates);
  const { variants = [] } = version;
  const standard = { context: '', unknownContext: '', rates: base, aboveInputTokens, why: NO_REASONS };
  if (priceContext.context === '' && variants.length === 0) return standard;
  const served = servedBy(variants, priceContext);
  if (typeof served === 'string') return served;
  const { pairs, said, unknown } = served;
  if (pairs.length + unknown.length === 0) return standard;

  const fitting = variants.filter(({ aboveInputTokens: above }) => above === 0 || totalInput.gt(above));
  const priced = ratesIn(fitting, tier.rates, served);
  if (priced.uncrossed.length === 0) return { ...describeContext(said, unknown), ...priced, aboveInputTokens };
  if (priceContext.unknownAtBase !== true)
    return `unknown_context: the rate card has no price for ${said.join(', ')} together`;
  const nothing = { pairs: [], said: [], unknown: [...said, ...unknown] };
  return { ...describeContext([], nothing.unknown), ...ratesIn([], tier.rates, nothing), aboveInputTokens };
}

/**
 * The price of one unit in a context: only factors for all classes apply. Returns the reason, a string, if the card
 * cannot price it.
 */
export function contextUnitRate(
  { variants = [] }: RateCardVersion,
  perUnit: Money,
  priceContext: PriceContext,
): (Pick<ContextRates, 'context' | 'unknownContext'> & { readonly rate: Money; readonly why?: string }) | string {
  const standard = { context: '', unknownContext: '', rate: perUnit };
  if (priceContext.context === '' && variants.length === 0) return standard;
  const served = servedBy(variants, priceContext);
  if (typeof served === 'string') return served;
  if (served.pairs.length + served.unknown.length === 0) return standard;
  const fitting = variants.filter((variant) => variant.class === 'all' && variant.aboveInputTokens === 0);
  const { rate, why } = rateOfClass(bySpecificity(fitting, served.pairs), null, perUnit, served);
  return { ...describeContext(served.said, served.unknown), rate: rate ?? perUnit, why };
}

/**
 * The price of a named unit in a context. Only rows for this unit apply: a search costs the same in a batch as
 * elsewhere.
 */
export function contextUnitPrice(
  { variants }: RateCardVersion,
  name: string,
  price: Money,
  context: string,
): { readonly rate: Money; readonly why?: string } {
  if (context === '' || variants === undefined) return { rate: price };
  const own = variants.filter((variant) => variant.class === name);
  const [row] = bySpecificity(own, contextPairs(context));
  if (row === undefined) return { rate: price };
  return { rate: row.rate ?? price.times(row.factor ?? 1), why: describe(row) };
}

function describeContext(
  pairs: readonly string[],
  unknown: readonly string[],
): Pick<ContextRates, 'context' | 'unknownContext'> {
  return { context: joinContext([...pairs, ...unknown]), unknownContext: joinContext(unknown) };
}

/**
 * Two rates cannot be multiplied. Pairs for which that would be necessary are `uncrossed`: only a row for both could
 * price them.
 */
function ratesIn(
  variants: readonly RateVariant[],
  ofTier: TokenRates,
  served: Served,
): Pick<ContextRates, 'rates' | 'why'> & { readonly uncrossed: readonly string[] } {
  const fitting = bySpecificity(variants, served.pairs);
  const base = effectiveRates(ofTier);
  const why: Partial<Record<TokenClass, string>> = {};
  const uncrossed = new Set<string>();
  const known = new Map<TokenClass, Money | null>();
  const rateOf = (name: TokenClass): Money | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const rate = ratedIn(name);
    known.set(name, rate);
    return rate;
  };
  const ratedIn = (name: TokenClass): Money | null => {
    const own = fitting.filter((variant) => variant.class === name || variant.class === 'all');
    const { rateLike } = TOKEN_CLASSES[name];
    // A class without its own rate costs the same as the class it derives its rate from, in this context too.
    if (!own.some((variant) => variant.class === name) && ofTier[name] === null && rateLike !== null) {
      why[name] = `as ${rateLike}`;
      return rateOf(rateLike);
    }
    const rated = rateOfClass(own, name, base[name], served);
    for (const pair of rated.uncrossed) uncrossed.add(pair);
    why[name] = rated.why;
    return rated.rate;
  };
  return { rates: byRate(rateOf), why, uncrossed: [...uncrossed] };
}

/** `own`: the matching rows of the class, most specific first. */
function rateOfClass(
  own: readonly RateVariant[],
  name: TokenClass | null,
  base: Money | null,
  { pairs, unknown }: Served,
): { readonly rate: Money | null; readonly why: string; readonly uncrossed: readonly string[] } {
  let [rate, left, reason]: [Money | null, readonly string[], string[]] = [base, pairs, []];
  const [exact] = own.filter((variant) => variant.rate !== null && variant.class === name);
  if (exact) {
    rate = exact.rate;
    left = pairs.filter((pair) => !contextPairs(exact.context).includes(pair));
    reason = [describe(exact)];
  }
  for (const variant of own) {
    const of = contextPairs(variant.context);
    if (variant.factor === null || !of.every((pair) => left.includes(pair))) continue;
    rate = rate?.times(variant.factor) ?? null;
    left = left.filter((pair) => !of.includes(pair));
    reason.push(describe(variant));
  }
  const uncrossed =
    reason.length === 0 ? [] : left.filter((pair) => own.some(({ context: of }) => contextPairs(of).includes(pair)));
  if (reason.length === 0)
    reason.push(pairs.length === 0 ? 'the base rate' : `the base rate: ${pairs.join(',')} has no rate for this class`);
  if (unknown.length > 0)
    reason.push(`the rate card has no price for ${unknown.join(', ')}, which the organization chose to ignore`);
  return { rate, why: reason.join('; '), uncrossed };
}

function bySpecificity(variants: readonly RateVariant[], pairs: readonly string[]): RateVariant[] {
  return variants
    .filter((variant) => contextPairs(variant.context).every((pair) => pairs.includes(pair)))
    .toSorted(mostSpecificFirst);
}

/**
 * Rows with more pairs first, then rows for the class itself before rows for all classes, then rows with a higher size
 * threshold.
 */
function mostSpecificFirst(one: RateVariant, other: RateVariant): number {
  return (
    contextPairs(other.context).length - contextPairs(one.context).length ||
    Number(one.class === 'all') - Number(other.class === 'all') ||
    other.aboveInputTokens - one.aboveInputTokens ||
    (one.context < other.context ? -1 : Number(one.context > other.context))
  );
}

function describe({ context, aboveInputTokens, rate, factor, source }: RateVariant): string {
  const price = rate === null ? `times ${factor === null ? '1' : plain(factor)}` : plain(rate);
  return `${context}${aboveInputTokens === 0 ? '' : ` above ${aboveInputTokens} input tokens`}: ${price} (${source})`;
}

function keyOf(pair: string): string {
  return pair.slice(0, pair.indexOf('='));
}
