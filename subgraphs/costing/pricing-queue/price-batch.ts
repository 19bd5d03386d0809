/** Prices many events and returns the results: ledger entries, waiting events, hour counters and the feed's batch. */
import type { CostFact, SeenEndUser } from '#schema/priced-feed.ts';
import { costTexts } from '../ledger/cost-parts.ts';
import { type CostEntryLine, printExplanation } from '../ledger/cost-entry-explanation.ts';
import type { NewCostEntry } from '../ledger/cost-entry.table.ts';
import { explanationLines, type PriceCharges, priceCharges } from '../ledger/price-charges.ts';
import type { HourChange } from '../ledger/cost-hour.table.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import type { NewUnpricedEvent } from '../ledger/unpriced-event.table.ts';
import { costFact } from '../feed/cost-fact.ts';
import type { PricedEvent } from '../pricing/price-event.ts';
import { describeReading, priceUsage } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import type { TokenReading } from '#usage/counts/read-tokens.ts';
import { seenEndUsers } from '../feed/seen-end-users.ts';

export interface PricedBatchOutcome {
  readonly entries: readonly NewCostEntry[];
  readonly unpriced: readonly NewUnpricedEvent[];
  /** Only live events contribute hours, facts and end users. */
  readonly hours: readonly HourChange[];
  readonly facts: readonly CostFact[];
  readonly endUsers: readonly SeenEndUser[];
  /** Events for which a pricing rule threw; they do not block other events. */
  readonly errors: readonly { readonly event: PriceableEvent; readonly reason: string }[];
}

/** `rates` are in the order of `events`. */
export function priceBatch(events: readonly PriceableEvent[], rates: readonly ResolvedRate[]): PricedBatchOutcome {
  const entries: NewCostEntry[] = [];
  const unpriced: NewUnpricedEvent[] = [];
  const hours: HourChange[] = [];
  const facts: CostFact[] = [];
  const errors: { event: PriceableEvent; reason: string }[] = [];
  for (let index = 0; index < events.length; index++) {
    const event = events[index]!;
    const rate = rates[index] ?? { provider: null, match: null };
    const price = attempt(() => priceUsage(event, pricingCardOf(rate)));
    if (price.kind === 'fault') {
      errors.push({ event, reason: price.reason });
    } else if (price.kind === 'waiting') {
      unpriced.push({ event, status: 'pending_rate_card', reason: price.reason });
      if (event.livemode) hours.push({ atMs: event.eventTimeMs, pendingRateCard: 1, quantity: quantityOf(event) });
    } else {
      const provider = providerIdentity(event.provider, rate.provider, rate.match?.card.providerSlug ?? null);
      const lines = explanationLines(price.priced);
      const charged = priceCharges(event, rate, price.priced, price.tokens, lines);
      const explanation = explainPrice(event.costOverride === null ? price.tokens : null, lines, charged);
      const entry = newEntry(event, price.priced, price.tokens, rate, provider.slug, explanation);
      entries.push(entry);
      if (!event.livemode) continue;
      hours.push({ atMs: event.eventTimeMs, completed: 1, totalCost: price.priced.total, quantity: quantityOf(event) });
      const { costs, modelSlug, pricingContext } = entry;
      const { charges } = charged;
      facts.push(costFact({ event, sequence: 0, costs, charges, modelSlug, provider, pricingContext }));
    }
  }
  return { entries, unpriced, hours, facts, endUsers: seenEndUsers(events), errors };
}

/** Input plus output tokens, as sent. */
export function quantityOf({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens: number;
  readonly outputTokens: number;
}): bigint {
  return BigInt(inputTokens) + BigInt(outputTokens);
}

/** The explanation of a cost that the ledger stores. */
function explainPrice(
  tokens: TokenReading | null,
  lines: readonly CostEntryLine[],
  { charges, isExplained }: PriceCharges,
): string {
  return printExplanation({
    ...(tokens ? { reading: describeReading(tokens) } : {}),
    lines,
    ...(isExplained ? {} : { charges }),
  });
}

function newEntry(
  event: PriceableEvent,
  priced: PricedEvent,
  tokens: TokenReading,
  rate: ResolvedRate,
  providerSlug: string,
  explanation: string,
): NewCostEntry {
  const match = event.costOverride === null ? rate.match : null;
  return {
    eventId: event.id,
    pricingContext: priced.context,
    unknownContext: priced.unknownContext || null,
    sequence: 0,
    livemode: event.livemode,
    eventTime: event.eventTime,
    costs: costTexts(priced),
    // The slug of the card that prices the event, else the model as sent (decision 9, D33).
    modelSlug: match?.card.modelSlug ?? event.model,
    providerSlug,
    rateCardId: match?.card.id ?? null,
    rateCardVersionId: match?.version.id ?? null,
    tierAbove: priced.tierAboveInputTokens,
    matchRule: match?.rule ?? null,
    explanation,
    reading: match ? tokens.name : null,
    cause: 'priced',
    repricingId: null,
  };
}

function attempt<T>(work: () => T): T | { readonly kind: 'fault'; readonly reason: string } {
  try {
    return work();
  } catch (error) {
    return { kind: 'fault', reason: error instanceof Error ? error.message : String(error) };
  }
}
