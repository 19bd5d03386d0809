/** Compares a published price with a rate card, and computes the value of the difference at a given usage. */
import { amount, type Amount, type Money, plain, quantity } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { TOKEN_CLASS_NAMES, TOKEN_CLASSES, type TokenClass, wireName } from '#schema/token-classes.ts';
import { contextRates } from '../pricing/context-rates.ts';
import { contextPairs, joinContext } from '../pricing/pricing-context.ts';
import type { RatedCard } from '../rates/rated-card.query.ts';
import type { RateCardVersion, TokenRates } from '../rates/rate-card-version.ts';
import type { PriceDifference } from '../resolvers.generated.ts';
import type { PricedGroup } from './priced-groups.query.ts';

/** Published rates of a model in one context, above one input size. */
export interface PublishedRates {
  readonly provider: string;
  readonly model: string;
  readonly context: string;
  readonly aboveInputTokens: number;
  readonly rates: ReadonlyMap<TokenClass, Money>;
}

/** The card version that a published price is compared with. */
export interface PricedCard {
  readonly card: RatedCard;
  readonly version: RateCardVersion;
}

/** Usage to which one rate applies. */
export type UsageAtSize = Pick<PricedGroup, 'aboveInputTokens' | 'tokens'> & { readonly context: string };

export interface RateDifference {
  readonly published: PublishedRates;
  readonly priced: PricedCard;
  readonly tokenClass: TokenClass;
  readonly ours: Money;
  readonly theirs: Money;
}

/** Smaller differences are due to rounding. */
const TOLERANCE = quantity('0.01');

/** `compared` counts the rates that the card also has; null if the card has no price for the context. */
export function compareRates(
  published: PublishedRates,
  priced: PricedCard,
): { readonly compared: number; readonly differences: RateDifference[] } | null {
  const rates = cardRates(priced.version, published.context, published.aboveInputTokens);
  if (rates === null) return null;
  let compared = 0;
  const differences: RateDifference[] = [];
  for (const [tokenClass, theirs] of published.rates) {
    const ours = rates[tokenClass];
    if (ours === null) continue;
    compared += 1;
    if (theirs.minus(ours).abs().gt(ours.times(TOLERANCE)))
      differences.push({ published, priced, tokenClass, ours, theirs });
  }
  return { compared, differences };
}

/**
 * Publishers do not list hourly prices, so the hours of a card are ignored. Null: the card has no rates of its own for
 * the context.
 */
function cardRates(version: RateCardVersion, context: string, above: number): TokenRates | null {
  if (version.perUnit !== null) return null;
  const variants = (version.variants ?? []).filter((variant) => !contextPairs(variant.context).some(isOfHours));
  const known = new Set(variants.flatMap((variant) => contextPairs(variant.context)));
  if (!contextPairs(context).every((pair) => known.has(pair))) return null;
  const asked = { context, atMs: 0, pricedKeys: new Set<string>() };
  const found = contextRates({ ...version, variants }, quantity(above + 1), asked);
  return typeof found === 'string' ? null : found.rates;
}

function isOfHours(pair: string): boolean {
  return pair.startsWith('hours=');
}

/** Sums groups that a comparison does not distinguish. */
export function usageBySize(groups: readonly PricedGroup[]): UsageAtSize[] {
  const sums = new Map<string, UsageAtSize & { readonly tokens: Record<TokenClass, bigint> }>();
  for (const { pricingContext, aboveInputTokens, tokens } of groups) {
    const context = joinContext(contextPairs(pricingContext).filter((pair) => !isOfHours(pair)));
    const key = `${aboveInputTokens} ${context}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { context, aboveInputTokens, tokens: { ...tokens } });
    else for (const name of TOKEN_CLASS_NAMES) sum.tokens[name] += tokens[name];
  }
  return [...sums.values()];
}

const MILLION = 1_000_000n;

/** `sizes`: input sizes at which the publisher's price of the model changes in this context, including 0. */
export function toPriceDifference(
  { published, priced, tokenClass, ours, theirs }: RateDifference,
  usage: readonly UsageAtSize[],
  sizes: readonly number[],
): PriceDifference {
  const { provider, model, context, aboveInputTokens } = published;
  const { card, version } = priced;
  const classes = classesAt(published, tokenClass, cardRates(version, context, aboveInputTokens));
  let tokens = 0n;
  for (const group of usage) {
    if (group.context !== context) continue;
    const size = Math.max(0, ...sizes.filter((one) => one <= group.aboveInputTokens));
    // Usage of another size that the card prices differently is compared separately.
    if (size !== aboveInputTokens || !cardRates(version, context, group.aboveInputTokens)?.[tokenClass]?.eq(ours))
      continue;
    for (const name of classes) tokens += group.tokens[name];
  }
  const costAt = (rate: Money): Amount => (tokens * amount(plain(rate.toDecimalPlaces(15)))) / MILLION;
  const [costAtOurs, costAtTheirs] = [costAt(ours), costAt(theirs)];
  return {
    provider,
    model,
    rateCardId: card.id,
    class: wireName(tokenClass),
    context,
    aboveInputTokens,
    ours: plain(ours),
    theirs: plain(theirs),
    percent: percent(amount(plain(theirs.minus(ours).toDecimalPlaces(15))), amount(plain(ours.toDecimalPlaces(15)))),
    costAtOurs,
    costAtTheirs,
    amountAtStake: costAtTheirs - costAtOurs,
  };
}

/**
 * A class and the classes that cost the same because neither side prices them separately, such as reasoning at the
 * output rate.
 */
function classesAt({ rates }: PublishedRates, tokenClass: TokenClass, ours: TokenRates | null): TokenClass[] {
  const follows = (name: TokenClass): boolean => {
    if (name === tokenClass) return true;
    const { rateLike } = TOKEN_CLASSES[name];
    const rate = ours?.[name] ?? null;
    if (rateLike === null || rates.has(name) || rate === null) return false;
    const oursOfClass = ours?.[tokenClass] ?? null;
    return oursOfClass !== null && rate.eq(oursOfClass) && follows(rateLike);
  };
  return TOKEN_CLASS_NAMES.filter(follows);
}
