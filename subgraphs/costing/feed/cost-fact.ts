/** Says a ledger entry to followers of the feed (`schema/priced-feed.ts`). */
import type { CostFact } from '../../../schema/priced-feed.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { eventDimensions } from '../events/event-dimensions.ts';
import { byTokens, type ByClass, isRequired } from '../../../schema/token-classes.ts';
import type { CostTexts } from '../ledger/cost-parts.ts';
import { countsOf } from '../pricing/reported-counts.ts';

export interface FactSource {
  readonly event: PriceableEvent;
  readonly sequence: number;
  readonly costs: CostTexts;
  readonly modelSlug: string;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
}

export function costFact({ event, sequence, costs, modelSlug, provider }: FactSource): CostFact {
  const isCost = sequence === 0;
  const reported: ByClass<number, number | null> | null = isCost ? countsOf(event) : null;
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
    ...byTokens<number, number | null>((name) => reported?.[name] ?? (isRequired(name) ? 0 : null)),
    ...costs,
    dimensions: eventDimensions(event),
    sessionId: event.sessionId,
    spanId: event.spanId,
    parentSpanId: event.parentSpanId,
    ...(event.reducedAt ? { isReduced: true } : {}),
  };
}
