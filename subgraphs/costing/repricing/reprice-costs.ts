/** Prices events anew and tells which costs differ. */
import type { Correction, StandingCost } from './corrections.step.ts';
import type { ResolvedRate } from '../rates/resolve-rate-card.step.ts';
import { costDifference, explainDifference, isNoDifference } from './cost-difference.ts';
import { describeReading, priceUsage } from '../pricing/price-usage.ts';

/** `rates` in the order of `standing`. An event that no card prices any more keeps its cost. */
export function repriceCosts(standing: readonly StandingCost[], rates: readonly ResolvedRate[]): Correction[] {
  return standing.flatMap((cost, index) => {
    const match = rates[index]?.match;
    const price = match ? priceUsage(cost.event, match.version.version) : null;
    if (!match || price?.kind !== 'priced') return [];
    const parts = costDifference(cost.parts, price.priced);
    if (isNoDifference(parts)) return [];
    return [{
      standing: cost, parts,
      entry: {
        rateCardId: match.card.id, rateCardVersionId: match.version.id, tierAbove: price.priced.tierAboveInputTokens, matchRule: match.rule,
        explanation: explainDifference(parts, describeReading(price.tokens)), cause: 'repriced',
      },
    }];
  });
}
