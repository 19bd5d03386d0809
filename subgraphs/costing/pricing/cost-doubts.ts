/**
 * Finds reasons why a cost may differ from the bill: the sender states a different cost, or the rate card does not
 * price something the event counts.
 */
import { plain } from '#kernel/money.ts';
import { unpricedUnits, type UnitHolder } from '#usage/counts/billed-units.ts';
import { pagesAndSeconds } from '#usage/counts/read-counts.ts';
import type { PricedEvent } from './price-event.ts';
import {
  describeCosts,
  differsNotably,
  providerCost,
  REPORTED_TOOL_COST,
  reportedCost,
} from '#usage/counts/stated-cost.ts';
import { NO_INPUT, ONLY_TOTAL, UNREAD_COUNTS, unreadCounts, UNSPLIT_WRITES } from '#usage/counts/unread-counts.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';

export interface DoubtedCost {
  readonly priced: PricedEvent;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly sources: readonly UsageSource[];
  readonly holders: readonly UnitHolder[];
  /** As sent. */
  readonly model: string;
  /** Names of the units that the rate card prices. */
  readonly unitNames: readonly string[];
  /** False for models without output, such as embedding models. */
  readonly pricesOutput: boolean;
  /** True if cache writes kept for an hour have a price of their own. */
  readonly pricesLongWrites: boolean;
  /** True if the output may contain audio, images or video at prices of their own. */
  readonly isOutputUndivided: boolean;
  /** The provider of the rate card, if a different provider sold the call; null if it is the seller's own card. */
  readonly otherSeller: string | null;
  /** The provider of the rate card, if the call was sold by a gateway or an unknown provider whose price is not known. */
  readonly listPriceOf: string | null;
  /** Classes of cached tokens that are charged at another class's rate, because the catalogue has none for them. */
  readonly unratedCache: readonly string[];
  /** Pairs of the event's pricing context that its price does not depend on. */
  readonly ignoredContext: readonly string[];
  /** The provider of the rate card, if the event names no provider and this one hosts models of others. */
  readonly assumedHost: string | null;
  /** Why the price depends on a location that the event does not report; null if it does not. */
  readonly unsaidLocation: string | null;
}

/** Null: no reason to doubt the cost. A cost stated by the provider itself overrides all other reasons. */
export function doubtOf({
  priced,
  metadata,
  sources,
  holders,
  model,
  unitNames,
  pricesOutput,
  pricesLongWrites,
  isOutputUndivided,
  otherSeller,
  listPriceOf,
  unratedCache,
  ignoredContext,
  assumedHost,
  unsaidLocation,
}: DoubtedCost): string | null {
  const ofProvider = sources.length === 0 ? null : providerCost(sources);
  if (ofProvider !== null)
    return differsNotably(priced.total, ofProvider) ? describeCosts('provider', ofProvider, priced.total) : null;
  const reported = reportedCost(metadata);
  if (reported !== null && differsNotably(priced.total, reported))
    return describeCosts('sender', reported, priced.total);
  const unpriced = unpricedUnits(unitNames, holders);
  if (unpriced.length > 0) return `the rate card has no price for: ${unpriced.join(', ')} (fees for tools)`;
  const units = priced.units === null ? unitsOf(sources) : [];
  if (units.length > 0) return `the rate card has no price for: ${units.join(', ')}`;
  if (ignoredContext.length > 0) return `the provider's price for ${ignoredContext.join(', ')} is not known`;
  // OpenRouter's suffix for a search before the call, which no count reports.
  if (model.endsWith(':online')) return 'the model was called with :online, and the fee of its search is not known';
  if (pricesOutput && metadata?.[ONLY_TOTAL] === true)
    return 'the usage states only a total, which is priced as input; output may cost more';
  if (metadata?.[NO_INPUT] === true) return 'the call states no input that can be read, which is priced as 0';
  if (pricesLongWrites && reported === null && metadata?.[UNSPLIT_WRITES] === true)
    return 'the sender does not say which cache writes are kept for an hour, and all are priced as kept for five minutes';
  if (isOutputUndivided && reported === null)
    return 'the call does not say whether its output contains audio, images or video, and all of it is priced as text';
  if (unratedCache.length > 0 && reported === null)
    return `the catalogue has no price for ${unratedCache.join(', ')}, and these tokens are charged like other input`;
  const host =
    assumedHost === null || reported !== null
      ? null
      : `the event names no provider, and the price is that of ${assumedHost}, one of several that sell this model`;
  const resold =
    listPriceOf === null || reported !== null
      ? null
      : `the seller of the call has no rate card, and the price is the list price of ${listPriceOf}`;
  const location = reported === null ? unsaidLocation : null;
  return doubtOfTools(priced, metadata, otherSeller) ?? doubtOfCounts(sources, metadata) ?? resold ?? host ?? location;
}

function unreadOf(sources: readonly UsageSource[]): string[] {
  return sources.flatMap(({ fields, isContainer }) => (isContainer ? unreadCounts(fields) : []));
}

function unitsOf(sources: readonly UsageSource[]): string[] {
  return sources.flatMap(({ fields, isContainer }) => (isContainer ? pagesAndSeconds(fields) : []));
}

function doubtOfCounts(sources: readonly UsageSource[], metadata: DoubtedCost['metadata']): string | null {
  const listed = metadata?.[UNREAD_COUNTS];
  if (sources.length === 0 && listed === undefined) return null;
  const unread = [...unreadOf(sources), ...(Array.isArray(listed) ? listed.map(String) : [])];
  return unread.length === 0 ? null : `the usage has counts under names that are not known: ${unread.join(', ')}`;
}

function doubtOfTools(
  { units, charges }: PricedEvent,
  metadata: DoubtedCost['metadata'],
  otherSeller: string | null,
): string | null {
  const stated = reportedCost(metadata, REPORTED_TOOL_COST);
  if (stated !== null && (units === null || differsNotably(units, stated)))
    return `the sender states tool fees of ${plain(stated)}; by the rate card they are ${units === null ? '0' : plain(units)}`;
  if (units === null) return null;
  const fees = charges.filter(({ per, cost }) => per === 1 && !cost.isZero()).map(({ item }) => item);
  const session = fees.find((item) => item.startsWith('code_sessions'));
  if (session !== undefined) return `the tool fee ${session} is charged once for all calls that share a container`;
  if (otherSeller !== null && fees.length > 0)
    return `the tool fees are those of ${otherSeller}, which did not sell the call`;
  return null;
}

/**
 * Reason to reject a cost of zero: the event reports a billed call, but nothing in it could be priced. Null: zero is
 * plausible.
 */
export function reasonAgainstZero({ priced, metadata, sources, holders, unitNames }: DoubtedCost): string | null {
  if (priced.charges.length > 0) return null;
  const unpriced = [...unpricedUnits(unitNames, holders), ...unreadOf(sources), ...unitsOf(sources)];
  const stated = providerCost(sources) ?? reportedCost(metadata);
  if (unpriced.length === 0 && stated === null) return null;
  const counts = unpriced.length === 0 ? 'nothing' : `${unpriced.join(', ')}, for which the rate card has no price`;
  return `no_counts: the event has no tokens and counts ${counts}${stated === null ? '' : `; its sender states a cost of ${plain(stated)}`}`;
}
