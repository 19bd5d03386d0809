/** The hypothetical cost of a group of events under a caller's changes, compared with its booked cost. */
import { type Amount, amount } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { contextPairs, joinContext } from '../pricing/pricing-context.ts';
import { changedVersion } from './changed-version.ts';
import { type GroupContext, groupPrices, type PricingVersion } from './group-price.ts';
import { type Changes, appliesTo, type Replacement, type ShareChange } from './parse-changes.ts';
import type { PricedGroup } from './priced-groups.query.ts';
import { type TokenRatio, tokenRatio } from './tokenizers.ts';

/** Cost differences; all three are equal if both models count tokens alike. */
export interface DifferenceRange {
  readonly low: Amount;
  readonly expected: Amount;
  readonly high: Amount;
}

/** Why events keep their cost. */
export type NotSimulatedReason = 'BILLED_OTHERWISE' | 'RATES_UNKNOWN' | 'NOT_REPRODUCED' | 'NO_PRICE';

export type SimulatedGroup =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed'; readonly difference: DifferenceRange }
  | { readonly kind: 'kept'; readonly reason: NotSimulatedReason; readonly detail: string };

export interface SimulationCards {
  /** Versions by id, for all versions that priced the events. */
  readonly versions: ReadonlyMap<string, PricingVersion>;
  /** The versions that would price the events instead, as of now. */
  readonly targets: ReadonlyMap<Replacement, PricingVersion>;
  readonly unknownAtBase: boolean;
}

interface Plan {
  readonly by: PricingVersion | undefined;
  readonly isReplaced: boolean;
  readonly ratio: TokenRatio | null;
  readonly cached: ShareChange | null;
  readonly batch: ShareChange | null;
}

/**
 * First reprices the group without changes. Sums can be used to compute another price only if that matches the booked
 * cost to the last digit. All other events keep their cost.
 */
export function simulation(
  changes: Changes,
  { versions, targets, unknownAtBase }: SimulationCards,
): (group: PricedGroup) => SimulatedGroup {
  const price = groupPrices();
  const changed = new Map<string, PricingVersion>();

  const planOf = (group: PricedGroup, own: PricingVersion | undefined): Plan | null => {
    const replacement = changes.replacements.find((one) => appliesTo(one, group));
    const target = replacement && targets.get(replacement);
    const isReplaced = target !== undefined && target.cardId !== own?.cardId;
    const now = isReplaced
      ? { modelSlug: target.modelSlug, providerSlug: target.providerSlug ?? group.providerSlug }
      : group;
    const rates = changes.rates.filter((rate) => appliesTo(rate, now));
    const [cached, batch] = [shareOf(changes.cachedShares, now), shareOf(changes.batchShares, now)];
    if (!isReplaced && rates.length === 0 && cached === null && batch === null) return null;
    const by = isReplaced ? target : own;
    return {
      by: by && rates.length > 0 ? versionWith(group, by, isReplaced, rates) : by,
      isReplaced,
      ratio: isReplaced ? tokenRatio(group.modelSlug, target.modelSlug) : null,
      cached,
      batch,
    };
  };

  const versionWith = (group: PricedGroup, by: PricingVersion, isReplaced: boolean, rates: Changes['rates']) => {
    const key = `${group.rateCardVersionId ?? ''} ${isReplaced} ${by.modelSlug} ${group.providerSlug}`;
    const known = changed.get(key) ?? { ...by, version: changedVersion(by.version, rates) };
    changed.set(key, known);
    return known;
  };

  return (group) => {
    const own = group.rateCardVersionId === null ? undefined : versions.get(group.rateCardVersionId);
    const plan = planOf(group, own);
    if (plan === null) return { kind: 'unchanged' };
    if (!group.isPlain) return kept('BILLED_OTHERWISE', 'priced by unit, by the caller, or for several models at once');
    const { by, isReplaced } = plan;
    if (own === undefined || by === undefined)
      return kept('RATES_UNKNOWN', 'the rates that priced them were replaced since');
    const { aboveInputTokens, events } = group;
    const context = { context: group.pricingContext, aboveInputTokens, events, unknownAtBase, isOwn: true };
    const cost = amount(group.cost);
    if (price(withProvider(own, group), group.tokens, context) !== cost)
      return kept('NOT_REPRODUCED', 'the sums of their tokens do not give the booked cost');
    const costOf = (factor: TokenRatio['low'] | null) => {
      const tokens = cachedAs(plan.cached, factor === null ? group.tokens : scaled(group.tokens, factor));
      const served = { ...context, isOwn: !isReplaced };
      return inBatches(plan.batch, by, served, (of) => price(withProvider(by, group), tokens, of));
    };
    const one = costOf(plan.ratio?.expected ?? null);
    const [low, high] = plan.ratio === null ? [one, one] : [costOf(plan.ratio.low), costOf(plan.ratio.high)];
    const waits = [low, one, high].find((value) => typeof value === 'string');
    if (typeof waits === 'string' || typeof low === 'string' || typeof one === 'string' || typeof high === 'string')
      return kept('NO_PRICE', String(waits));
    return { kind: 'changed', difference: { low: low - cost, expected: one - cost, high: high - cost } };
  };
}

function kept(reason: NotSimulatedReason, detail: string): SimulatedGroup {
  return { kind: 'kept', reason, detail };
}

/** A card for any provider uses the context keys of the event's own provider. */
function withProvider(by: PricingVersion, { providerSlug }: PricedGroup): PricingVersion {
  return by.providerSlug === null ? { ...by, providerSlug } : by;
}

function shareOf(shares: readonly ShareChange[], { modelSlug }: { readonly modelSlug: string }): ShareChange | null {
  return shares.find(({ model }) => model === modelSlug) ?? shares.find(({ model }) => model === null) ?? null;
}

type Tokens = Readonly<Record<TokenClass, bigint>>;

function scaled(tokens: Tokens, { times, by }: TokenRatio['low']): Tokens {
  return Object.fromEntries(
    Object.entries(tokens).map(([name, count]) => [name, (count * times + by / 2n) / by]),
  ) as unknown as Tokens;
}

const ONE = 1_000_000n;

/** Sets the cached share of the text input; cache writes do not change. */
function cachedAs(share: ShareChange | null, tokens: Tokens): Tokens {
  if (share === null) return tokens;
  const read = tokens.input + tokens.cacheRead;
  const cacheRead = (read * share.millionths + ONE / 2n) / ONE;
  return { ...tokens, cacheRead, input: read - cacheRead };
}

const BATCH = 'tier=batch';

/** Prices the share at the batch price and the rest at the standard price, rounded half-up at 15 decimals. */
function inBatches(
  share: ShareChange | null,
  { version: { variants = [] } }: PricingVersion,
  group: GroupContext,
  price: (served: GroupContext) => Amount | string,
): Amount | string {
  if (share === null) return price(group);
  const others = contextPairs(group.context).filter((pair) => !pair.startsWith('tier='));
  const standard = price({ ...group, context: joinContext(others) });
  const batch = price({ ...group, context: joinContext([...others, BATCH]) });
  if (typeof standard === 'string') return standard;
  if (share.millionths === 0n) return standard;
  // A provider without any tiers would price batches at its standard price.
  if (!variants.some(({ context }) => contextPairs(context).includes(BATCH)))
    return 'The rate card has no price for batches';
  if (typeof batch === 'string') return batch;
  return (batch * share.millionths + standard * (ONE - share.millionths) + ONE / 2n) / ONE;
}
