/** Finds what each token class costs in a pricing context: rates by context before factors, most specific first (decision 38). */
import { type Money, plain, type Quantity } from '../../../kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '../../../schema/token-classes.ts';
import { chooseTier } from '../rates/choose-tier.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { RateCardVersion, RateVariant, TokenRates } from '../rates/rate-card-version.ts';
import { contextPairs, isWithinHours, joinContext } from './pricing-context.ts';

export interface ContextRates {
  /** What the price was looked up by: the event's context without what no one prices by, and with the hours of the card. */
  readonly context: string;
  readonly rates: TokenRates;
  /** Threshold of the tier that was used; null on the base level. */
  readonly aboveInputTokens: number | null;
  /** Of classes that the context decides: which row, and why. */
  readonly why: Readonly<Partial<Record<TokenClass, string>>>;
}

/** What a price may depend on besides the tokens. */
export interface PriceContext {
  /** As `readPricingContext` gives it. */
  readonly context: string;
  readonly atMs: number;
  /** Keys by which the provider prices anything: a card that does not know such a pair cannot price the event. */
  readonly pricedKeys: ReadonlySet<string>;
}

const NO_REASONS: ContextRates['why'] = {};

/** A version prices many events. */
const knownPairs = new WeakMap<readonly RateVariant[], ReadonlySet<string>>();

/** Pairs that any of the variants names. */
function namedPairs(variants: readonly RateVariant[]): ReadonlySet<string> {
  const known = knownPairs.get(variants);
  if (known) return known;
  const named = new Set(variants.flatMap((variant) => contextPairs(variant.context)));
  knownPairs.set(variants, named);
  return named;
}

/** A text says why the card cannot price the context. */
export function contextRates(
  version: RateCardVersion,
  totalInput: Quantity,
  { context, atMs, pricedKeys }: PriceContext,
): ContextRates | string {
  const tier = chooseTier(version, totalInput);
  const base = effectiveRates(tier.rates);
  const { variants = [] } = version;
  if (context === '' && variants.length === 0) {
    return { context, rates: base, aboveInputTokens: tier.aboveInputTokens, why: NO_REASONS };
  }
  const named = namedPairs(variants);
  const pairs = [
    ...contextPairs(context).filter((pair) => named.has(pair) || pricedKeys.has(keyOf(pair))),
    ...[...named].filter((pair) => isWithinHours(pair, atMs)),
  ];
  const unknown = pairs.filter((pair) => !named.has(pair));
  if (unknown.length > 0) return `unknown_context: the rate card has no price for ${unknown.join(', ')}`;
  if (pairs.length === 0) {
    return { context: '', rates: base, aboveInputTokens: tier.aboveInputTokens, why: NO_REASONS };
  }

  const fitting = variants
    .filter((variant) => contextPairs(variant.context).every((pair) => pairs.includes(pair)))
    .filter(({ aboveInputTokens }) => aboveInputTokens === 0 || totalInput.gt(aboveInputTokens))
    .toSorted(mostSpecificFirst);
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
    // A class without a rate of its own costs what the class costs whose rate holds for it, in this context too.
    if (!own.some((variant) => variant.class === name) && tier.rates[name] === null && rateLike !== null) {
      why[name] = `as ${rateLike}`;
      return rateOf(rateLike);
    }
    let [rate, left, reason]: [Money | null, readonly string[], string[]] = [base[name], pairs, []];
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
    // Two rates cannot be multiplied: how they cross, only a row of both could say.
    if (reason.length > 0)
      for (const pair of left) if (own.some(({ context: of }) => contextPairs(of).includes(pair))) uncrossed.add(pair);
    why[name] = reason.length === 0 ? `the base rate: ${pairs.join(',')} has none for this class` : reason.join('; ');
    return rate;
  };
  const rates = byRate(rateOf);
  if (uncrossed.size > 0) return `unknown_context: the rate card has no price for ${pairs.join(', ')} together`;
  return { context: joinContext(pairs), rates, aboveInputTokens: tier.aboveInputTokens, why };
}

/** More pairs first, then the class itself before all classes, then the highest size that was passed. */
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
