/** Prices one usage event from all that is known about it: the step that pricing, repricing and explaining share. */
import { type Money, ZERO, money, toLedger } from '../../../kernel/money.ts';
import { byClass, isRequired, type TokenCounts } from '../../../schema/token-classes.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import { canonicalProvider } from '../rates/matching/canonical-provider.ts';
import { pricedKeysOf } from '../rates/stated-rates.ts';
import { priceEvent, type PricedEvent } from './price-event.ts';
import { readPricingContext } from './pricing-context.ts';
import { GUESSED, readTokens, type TokenReading } from './read-tokens.ts';
import { readCardUnits, readUnitCounts } from './read-units.ts';
import { type UsageSource, usageSources } from './usage-shape.ts';
import { valueAt } from './value-at.ts';

/** What of a stored event its price depends on. */
export interface PriceableUsage extends TokenCounts {
  /** Plain decimals, exact. */
  readonly costOverride: string | null;
  readonly units: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** What the event carries of a provider's usage object at its top level. */
  readonly providerUsage: Readonly<Record<string, unknown>> | null;
  /** As sent. */
  readonly provider: string | null;
  readonly model: string;
  /** When the event occurred: prices may depend on the hour. Milliseconds since 1970. */
  readonly eventTimeMs: number;
}

export type UsagePrice =
  | { readonly kind: 'priced'; readonly priced: PricedEvent; readonly tokens: TokenReading }
  | { readonly kind: 'waiting'; readonly reason: string };

/** The card that prices an event: the version in force at the event's time, and whose card it is; null: any provider's. */
export interface PricingCard {
  readonly version: RateCardVersion;
  readonly providerSlug: string | null;
}

/** Null: no card matches. An override stops everything else (decision 9, D23). */
export function priceUsage(usage: PriceableUsage, card: PricingCard | null): UsagePrice {
  const tokens = readTokens(usage);
  if (usage.costOverride !== null) return { kind: 'priced', priced: priceOverride(money(usage.costOverride)), tokens };
  if (card === null)
    return { kind: 'waiting', reason: 'No rate card matches the model and the provider at the time of the event' };
  const { version, providerSlug } = card;
  const sources = usageSources(usage.providerUsage, usage.metadata);
  const others = otherModels(sources, usage.model);
  if (others.length > 0)
    return {
      kind: 'waiting',
      reason: `other_models: the event reports work of ${others.join(', ')} that its counts leave out; send it as events of its own`,
    };
  const units =
    version.perUnit === null ? null : readCardUnits(version.perUnitName, usage.units, usage.metadata, sources);
  if (units?.kind === 'none') return { kind: 'waiting', reason: units.reason };
  const counts = readUnitCounts(Object.keys(version.unitPrices), usage.metadata, sources);
  const priced = priceEvent(tokens, version, units?.count ?? null, counts, {
    context: readPricingContext(sources),
    atMs: usage.eventTimeMs,
    pricedKeys: pricedKeysOf(providerSlug ?? canonicalProvider(usage.provider)),
  });
  if (priced.kind === 'waiting') return priced;
  return { kind: 'priced', priced, tokens: units?.isGuess === true ? { ...tokens, name: GUESSED } : tokens };
}

/** Models that Anthropic's `iterations` name besides the one that was called: the sums of the usage do not cover their tokens. */
function otherModels(sources: readonly UsageSource[], model: string): string[] {
  const iterations = sources.flatMap(({ fields }) => fields['iterations'] ?? []);
  const names = iterations.map((each) => valueAt(each, ['model'])).filter((name) => typeof name === 'string');
  return [...new Set(names)].filter((name) => name !== model);
}

/** `input inclusive (no cache tokens), output inclusive (no reasoning tokens)` */
export function describeReading({ input, output }: TokenReading): string {
  return `input ${input.reading} (${input.why}), output ${output.reading} (${output.why})`;
}

/**
 * The cost that a caller states itself: it is the total and stops everything else (decision 9, D23).
 *
 * `amount` is USD from 0. No rate card, no tier, no classes: input and output are 0, the other parts null.
 */
export function priceOverride(amount: Money): PricedEvent {
  return {
    kind: 'priced',
    total: toLedger(amount),
    ...byClass<Money, Money | null>((name) => (isRequired(name) ? ZERO : null)),
    units: null,
    tierAboveInputTokens: null,
    context: '',
    charges: [],
  };
}
