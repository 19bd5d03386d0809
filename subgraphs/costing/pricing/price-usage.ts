/** Prices one usage event from all that is known about it: the step that pricing, repricing and explaining share. */
import { type Money, ZERO, money, toLedger } from '../../../kernel/money.ts';
import { byClass, isRequired, type TokenCounts } from '../../../schema/token-classes.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import { priceEvent, type PricedEvent } from './price-event.ts';
import { readTokens, type TokenReading } from './read-tokens.ts';
import { readUnitCounts, readUnits } from './read-units.ts';
import { usageSources } from './usage-shape.ts';

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
}

export type UsagePrice =
  | { readonly kind: 'priced'; readonly priced: PricedEvent; readonly tokens: TokenReading }
  | { readonly kind: 'waiting'; readonly reason: string };

/** `version` is the one in force at the event's time; null: no card matches. An override stops everything else (decision 9, D23). */
export function priceUsage(usage: PriceableUsage, version: RateCardVersion | null): UsagePrice {
  const tokens = readTokens(usage);
  if (usage.costOverride !== null) return { kind: 'priced', priced: priceOverride(money(usage.costOverride)), tokens };
  if (version === null)
    return { kind: 'waiting', reason: 'No rate card matches the model and the provider at the time of the event' };
  const units = version.perUnit === null ? null : readUnits(usage.units, usage.metadata);
  const counts = readUnitCounts(
    Object.keys(version.unitPrices),
    usage.metadata,
    usageSources(usage.providerUsage, usage.metadata),
  );
  const priced = priceEvent(tokens, version, units, counts);
  return priced.kind === 'waiting' ? priced : { kind: 'priced', priced, tokens };
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
    charges: [],
  };
}
