/** Why a cost may not be what is billed: what a sender states differs, or the event counts something that the rate card does not price. */
import { plain } from '../../../kernel/money.ts';
import { unpricedUnits, type UnitHolder } from './billed-units.ts';
import type { PricedEvent } from './price-event.ts';
import { describeCosts, isFarFrom, providerCost, REPORTED_TOOL_COST, reportedCost } from './stated-cost.ts';
import type { UsageSource } from './usage-sources.ts';

export interface DoubtedCost {
  readonly priced: PricedEvent;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly sources: readonly UsageSource[];
  readonly holders: readonly UnitHolder[];
  /** What the rate card prices by the piece. */
  readonly unitNames: readonly string[];
  /** Whose rate card it is, where another provider sold the call; null: the seller's own. */
  readonly otherSeller: string | null;
}

/** Null: no reason to doubt. A cost that the provider itself states settles everything. */
export function doubtOf({ priced, metadata, sources, holders, unitNames, otherSeller }: DoubtedCost): string | null {
  const ofProvider = sources.length === 0 ? null : providerCost(sources);
  if (ofProvider !== null)
    return isFarFrom(priced.total, ofProvider) ? describeCosts('provider', ofProvider, priced.total) : null;
  const reported = reportedCost(metadata);
  if (reported !== null && isFarFrom(priced.total, reported)) return describeCosts('sender', reported, priced.total);
  const unpriced = unpricedUnits(unitNames, holders);
  if (unpriced.length > 0) return `the rate card has no price for: ${unpriced.join(', ')} (fees for tools)`;
  return doubtOfTools(priced, metadata, otherSeller);
}

function doubtOfTools(
  { units, charges }: PricedEvent,
  metadata: DoubtedCost['metadata'],
  otherSeller: string | null,
): string | null {
  const stated = reportedCost(metadata, REPORTED_TOOL_COST);
  if (stated !== null && (units === null || isFarFrom(units, stated)))
    return `the sender states tool fees of ${plain(stated)}, by the rate card they are ${units === null ? '0' : plain(units)}`;
  const fees = charges.filter(({ per, cost }) => per === 1 && !cost.isZero()).map(({ item }) => item);
  const session = fees.find((item) => item.startsWith('code_sessions'));
  if (session !== undefined) return `the tool fee ${session} is charged once for all calls that share a container`;
  if (otherSeller !== null && fees.length > 0)
    return `the tool fees are those of ${otherSeller}, who did not sell the call`;
  return null;
}

/** Why a cost of zero is not one: the event reports a call that was billed, and nothing of it could be priced. Null: it can be zero. */
export function reasonAgainstZero({ priced, metadata, sources, holders, unitNames }: DoubtedCost): string | null {
  if (priced.charges.length > 0) return null;
  const unpriced = unpricedUnits(unitNames, holders);
  const stated = providerCost(sources) ?? reportedCost(metadata);
  if (unpriced.length === 0 && stated === null) return null;
  const counts = unpriced.length === 0 ? 'nothing' : `${unpriced.join(', ')}, for which the rate card has no price`;
  return `no_counts: the event has no tokens and counts ${counts}${stated === null ? '' : `; its sender states a cost of ${plain(stated)}`}`;
}
