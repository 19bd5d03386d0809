/** Prices one usage event from all available data. Pricing, repricing and explanations share this step. */
import type { ApiKeyId } from '#kernel/ids.ts';
import { type Discount, NO_DISCOUNTS } from '../rates/discounts/discount.ts';
import { type CachedTokensRule, cachedTokensStatement } from '#usage/counts/cached-tokens-rule.ts';
import { type Money, ZERO, money, toLedger } from '#kernel/money.ts';
import { byClass, isRequired, type TokenCounts } from '#schema/token-classes.ts';
import { INCOMPLETE, isIncomplete } from '#usage/counts/incomplete.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { pricedKeysOf } from '../rates/stated-rates.ts';
import { type Iteration, iterationsBesides, SEPARATE_CALLS } from '#usage/counts/iterations.ts';
import type { PriceContext } from './context-rates.ts';
import { priceEvent, type PricedEvent, type WaitingEvent } from './price-event.ts';
import { contextPairs, joinContext, readPricingContext } from './pricing-context.ts';
import { GUESSED, readTokens, type TokenReading } from '#usage/counts/read-tokens.ts';
import { unitHolders } from '#usage/counts/billed-units.ts';
import { assumedCacheRates } from './assumed-cache-rates.ts';
import { assumedSeller } from './assumed-seller.ts';
import { discountPrice } from './discount-price.ts';
import { doubtOf, reasonAgainstZero } from './cost-doubts.ts';
import { doubtOfTags } from './doubt-of-tags.ts';
import { isOutputUndivided } from './undivided-output.ts';
import { thinkingMode } from './thinking-mode.ts';
import { unsaidLocation } from './unsaid-location.ts';
import { readCardUnits, readUnitCounts, REQUESTS } from '#usage/counts/read-units.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';
import { countOrNull } from '#usage/counts/value-at.ts';

/** The fields of a stored event that its price depends on. */
export interface PriceableUsage extends TokenCounts {
  /** Plain decimals, exact. */
  readonly costOverride: string | null;
  /** The API key that sent the event. */
  readonly apiKeyId?: ApiKeyId | null;
  readonly units: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The parts of a provider's usage object at the event's top level. */
  readonly providerUsage: Readonly<Record<string, unknown>> | null;
  /** As sent. */
  readonly provider: string | null;
  readonly model: string;
  /** When the event occurred, in milliseconds since 1970. Prices may depend on the hour. */
  readonly eventTimeMs: number;
  /** Additional models whose work the event reports, and whose cards it needs. Absent for almost every event. */
  readonly otherModels?: readonly string[];
}

export type UsagePrice =
  | { readonly kind: 'priced'; readonly priced: PricedEvent; readonly tokens: TokenReading }
  | { readonly kind: 'waiting'; readonly reason: string };

/** The card that prices an event: the version in force at the event's time, and the card's provider (null: any). */
export interface PricingCard {
  readonly version: RateCardVersion;
  readonly providerSlug: string | null;
  /** Absent if the price does not depend on it, as in tests of a single version. */
  readonly modelSlug?: string;
  /** True for a card of the catalogue, false for one written by people. */
  readonly isOfCatalogue?: boolean;
  /** Discounts agreed for the card, past and future ones included. */
  readonly discounts?: readonly Discount[];
  /** True if the organization prices unknown contexts at base rates. */
  readonly unknownAtBase?: boolean;
  /** The organization's statements about counts that do not say whether they include cached tokens. */
  readonly cachedTokensRules?: readonly CachedTokensRule[];
  /** Cards of the additional models; null if no card matches. */
  readonly others?: ReadonlyMap<string, PricingCard | null>;
}

/** `card` is null if no card matches. A cost override replaces the computed price (decision 9, D23). */
export function priceUsage(usage: PriceableUsage, card: PricingCard | null): UsagePrice {
  const price = priceContracted(usage, card);
  if (price.kind === 'waiting' || !isIncomplete(usage.metadata)) return price;
  const { tokens } = price;
  const why = `${tokens.output.why}; the call was reported as incomplete, so its counts are estimates`;
  return { ...price, tokens: { ...tokens, name: INCOMPLETE, output: { ...tokens.output, why } } };
}

/** The list price, less the discounts that the organization agreed with the provider (decision 87). */
function priceContracted(usage: PriceableUsage, card: PricingCard | null): UsagePrice {
  const price = priceReported(usage, card);
  if (price.kind === 'waiting' || card === null || usage.costOverride !== null) return price;
  if (card.others === undefined && (card.discounts ?? NO_DISCOUNTS).length === 0) return price;
  const discountsOf = (model: string | null) =>
    (model === null ? card : card.others?.get(model))?.discounts ?? NO_DISCOUNTS;
  const priced = discountPrice(price.priced, usage.eventTimeMs, discountsOf);
  return priced === price.priced ? price : { ...price, priced };
}

function priceReported(usage: PriceableUsage, card: PricingCard | null): UsagePrice {
  const cachedTokens = cachedTokensStatement(card?.cachedTokensRules ?? [], usage);
  const tokens = readTokens(cachedTokens === null ? usage : { ...usage, cachedTokens });
  if (usage.costOverride !== null) return { kind: 'priced', priced: priceOverride(money(usage.costOverride)), tokens };
  if (card === null)
    return { kind: 'waiting', reason: 'No rate card matches the model and the provider at the time of the event' };
  const { version, providerSlug, unknownAtBase = false } = card;
  const sources = usageSources(usage.providerUsage, usage.metadata);
  const units =
    version.perUnit === null ? null : readCardUnits(version.perUnitName, usage.units, usage.metadata, sources);
  if (units?.kind === 'none') return { kind: 'waiting', reason: units.reason };
  const unitNames = Object.keys(version.unitPrices);
  const counts = readUnitCounts(unitNames, usage.metadata, sources);
  const stated = readPricingContext(sources, usage);
  const thinking = thinkingMode(usage.model, !tokens.quantities.reasoning.isZero());
  const context = thinking === null ? stated : joinContext([...contextPairs(stated), thinking]);
  const atMs = usage.eventTimeMs;
  const served = { context, atMs, unknownAtBase };
  const own = priceEvent(tokens, version, units?.count ?? null, counts, {
    ...served,
    pricedKeys: pricedKeysOf(providerSlug ?? canonicalProvider(usage.provider)),
  });
  if (own.kind === 'waiting') return own;
  let priced = own;
  for (const iteration of iterationsBesides(usage)) {
    if (isOwnWork(iteration, card)) continue;
    const other = priceIteration(iteration, card, served);
    if (other.kind === 'waiting') return other;
    priced = addPrices(priced, other, iteration);
  }
  const seller = canonicalProvider(usage.provider);
  const doubted = {
    priced,
    metadata: usage.metadata,
    sources,
    holders: unitHolders(usage.metadata, sources),
    model: usage.model,
    unitNames: version.perUnit === null ? unitNames : [...unitNames, version.perUnitName ?? ''],
    pricesOutput: version.rates.output !== null && !version.rates.output.isZero(),
    isOutputUndivided: isOutputUndivided(version, tokens.quantities, sources),
    pricesLongWrites: version.rates.cacheCreation1h !== null,
    unratedCache: card.isOfCatalogue === true ? assumedCacheRates(version, tokens.quantities, providerSlug) : NOTHING,
    ignoredContext: card.isOfCatalogue === true ? ignoredBy(own, context) : [],
    ...assumedSeller(usage, card, seller),
    unsaidLocation: unsaidLocation(usage, card, seller, sources, own.context),
    otherSeller: seller === null || seller === UNKNOWN_PROVIDER || seller === providerSlug ? null : providerSlug,
  };
  const noZero = reasonAgainstZero(doubted);
  if (noZero !== null) return { kind: 'waiting', reason: noZero };
  const doubt = doubtOf(doubted) ?? doubtOfTags(usage, sources);
  if (doubt !== null) {
    const why = `${tokens.output.why}; ${doubt}`;
    return { kind: 'priced', priced, tokens: { ...tokens, name: GUESSED, output: { ...tokens.output, why } } };
  }
  const isGuess = units?.isGuess === true || isFeeUnsaid(version, own);
  return { kind: 'priced', priced, tokens: isGuess ? { ...tokens, name: GUESSED } : tokens };
}

/** Pairs of the event's context that the price does not depend on, because no such price of the provider is known. */
function ignoredBy({ context, unknownContext }: PricedEvent, stated: string): readonly string[] {
  if (stated === '') return NOTHING;
  const considered = new Set([context, unknownContext].flatMap(contextPairs));
  // A search context size only changes the fee of providers that state it.
  return contextPairs(stated).filter((pair) => !considered.has(pair) && !pair.startsWith('search='));
}

const NOTHING: readonly string[] = [];

/**
 * True if the card has a fee per call that the event does not count, or whose amount depends on a search context size
 * the event does not report.
 */
function isFeeUnsaid({ unitPrices, variants = [] }: RateCardVersion, { charges, context }: PricedEvent): boolean {
  if (!Object.hasOwn(unitPrices, REQUESTS)) return false;
  const fee = charges.find(({ item }) => item === REQUESTS);
  if (fee === undefined) return true;
  const isBySearch = variants.some((variant) => variant.class === REQUESTS && variant.context.startsWith('search='));
  return isBySearch && !fee.cost.isZero() && !context.includes('search=');
}

/** True for a deployment or an alias of the event's own model: the sums already contain its messages. */
function isOwnWork({ model, type }: Iteration, { version, others }: PricingCard): boolean {
  return model !== null && !SEPARATE_CALLS.has(type) && others?.get(model)?.version === version;
}

/** Prices an iteration by the card of its own model. Its counts follow Anthropic's convention. */
function priceIteration(
  { model, fields }: Iteration,
  card: PricingCard,
  served: Omit<PriceContext, 'pricedKeys'>,
): PricedEvent | WaitingEvent {
  const own = model === null ? card : card.others?.get(model);
  if (!own)
    return {
      kind: 'waiting',
      reason: `other_models: the event reports work of ${model} that its counts leave out, and no rate card matches it`,
    };
  const tokens = readTokens({
    inputTokens: countOrNull(fields['input_tokens']) ?? 0,
    outputTokens: countOrNull(fields['output_tokens']) ?? 0,
    providerUsage: { usage: fields },
    provider: 'anthropic',
  });
  const pricedKeys = pricedKeysOf(own.providerSlug ?? 'anthropic');
  const price = priceEvent(tokens, own.version, null, {}, { ...served, pricedKeys });
  return price.kind === 'waiting' && model !== null ? { ...price, reason: `${price.reason}, of ${model}` } : price;
}

function addPrices(one: PricedEvent, other: PricedEvent, { model, type }: Iteration): PricedEvent {
  const charges = other.charges.map((charge) => ({
    ...charge,
    why: charge.why === undefined ? type : `${type}; ${charge.why}`,
    ...(model === null ? {} : { model }),
  }));
  return {
    ...one,
    unknownContext: joinContext([
      ...new Set([...contextPairs(one.unknownContext), ...contextPairs(other.unknownContext)]),
    ]),
    total: one.total.plus(other.total),
    ...byClass<Money, Money | null>((name) => {
      const [first, second] = [one[name], other[name]];
      return first === null ? second : second === null ? first : first.plus(second);
    }),
    charges: [...one.charges, ...charges],
  };
}

/** `input inclusive (no cache tokens), output inclusive (no reasoning tokens)` */
export function describeReading({ input, output }: TokenReading): string {
  return `input ${input.reading} (${input.why}), output ${output.reading} (${output.why})`;
}

/**
 * A cost stated by the caller. It is the total and replaces the computed price (decision 9, D23).
 *
 * `amount` is USD, 0 or more. No rate card, tier or class applies: input and output are 0, the other parts null.
 */
export function priceOverride(amount: Money): PricedEvent {
  return {
    kind: 'priced',
    total: toLedger(amount),
    ...byClass<Money, Money | null>((name) => (isRequired(name) ? ZERO : null)),
    units: null,
    tierAboveInputTokens: null,
    context: '',
    unknownContext: '',
    charges: [],
  };
}
