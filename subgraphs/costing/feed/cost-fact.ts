/** Says a ledger entry to followers of the feed (`schema/priced-feed.ts`). */
import { plain, type Money } from '../../../kernel/money.ts';
import type { CostFact } from '../../../schema/priced-feed.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { eventDimensions } from '../events/event-dimensions.ts';
import type { CostParts } from '../ledger/cost-entry.table.ts';
import { reportedCounts } from '../pricing/reported-counts.ts';

export interface FactSource {
  readonly event: PriceableEvent;
  readonly sequence: number;
  readonly parts: CostParts;
  readonly modelSlug: string;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
}

export function costFact({ event, sequence, parts, modelSlug, provider }: FactSource): CostFact {
  const isCost = sequence === 0;
  const reported = isCost ? reportedCounts(event) : null;
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
    inputTokens: isCost ? event.inputTokens : 0,
    outputTokens: isCost ? event.outputTokens : 0,
    cacheCreationInputTokens: reported?.cacheCreation ?? null,
    cacheReadInputTokens: reported?.cacheRead ?? null,
    reasoningTokens: reported?.reasoning ?? null,
    totalCost: plain(parts.total),
    inputCost: plain(parts.input),
    outputCost: plain(parts.output),
    cacheCreationCost: text(parts.cacheCreation),
    cacheReadCost: text(parts.cacheRead),
    reasoningCost: text(parts.reasoning),
    dimensions: eventDimensions(event),
    sessionId: event.sessionId,
    spanId: event.spanId,
    parentSpanId: event.parentSpanId,
    ...(event.isReduced ? { isReduced: true } : {}),
  };
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}
