/** Converts a ledger entry to a fact for consumers of the feed (`schema/priced-feed.ts`). */
import type { ChargeLine, CostFact } from '#schema/priced-feed.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { eventDimensions } from '../events/event-dimensions.ts';
import { byTokens, isRequired, tokensOf, type TokenCounts } from '#schema/token-classes.ts';
import type { CostTexts } from '../ledger/cost-parts.ts';
import { countsOf } from '#usage/counts/reported-counts.ts';

export interface FactSource {
  readonly event: PriceableEvent;
  readonly sequence: number;
  readonly costs: CostTexts;
  readonly charges: readonly ChargeLine[];
  readonly modelSlug: string;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
  /**
   * The context under which the event was first counted: a correction counts under the context of the cost it corrects.
   */
  readonly pricingContext: string;
  /**
   * Tokens of the event's first report, or the differences made by a later report. Absent: the event's own tokens for a
   * first entry, no difference for a correction.
   */
  readonly tokens?: TokenCounts | null;
}

export function costFact({
  event,
  sequence,
  costs,
  charges,
  modelSlug,
  provider,
  pricingContext,
  tokens,
}: FactSource): CostFact {
  const reported = tokens ?? (sequence === 0 ? tokensOfEvent(event) : null);
  return {
    eventId: event.id,
    sequence,
    eventTime: event.eventTime,
    endUserExternalId: event.endUserExternalId,
    modelSlug,
    providerId: provider.id,
    providerSlug: provider.slug,
    providerName: provider.name,
    providerReported: event.provider !== null,
    ...byTokens<number, number | null>((name) => reported?.[tokensOf(name)] ?? (isRequired(name) ? 0 : null)),
    ...costs,
    charges,
    dimensions: withContext(eventDimensions(event), pricingContext),
    sessionId: event.sessionId,
    spanId: event.spanId,
    parentSpanId: event.parentSpanId,
    ...(event.reducedAt || event.revisedAt ? { isReduced: true } : {}),
  };
}

/** The event's current counts by class; null for a class that was not reported. */
export function tokensOfEvent(event: PriceableEvent): TokenCounts {
  const counts = countsOf(event);
  return byTokens<number, number | null>((name) => counts[name]);
}

/** Adds a key for each pair of the context: `tier=batch` becomes `pricing.tier`. The standard price adds none. */
function withContext(dimensions: Record<string, string>, context: string): Record<string, string> {
  if (context === '') return dimensions;
  dimensions['pricing.context'] = context;
  for (const pair of context.split(',')) {
    const at = pair.indexOf('=');
    dimensions[`pricing.${pair.slice(0, at)}`] = pair.slice(at + 1);
  }
  return dimensions;
}
