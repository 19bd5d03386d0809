/** Resolves the rate cards of many events in one call. Results are cached in the process until rates change. */
import type { OrganizationId } from '#kernel/ids.ts';
import { discountsOf, NO_DISCOUNTS } from './discounts/discount.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { versionAt } from './rated-card.query.ts';
import { readRateGenerations } from './rate-generation.table.ts';
import type { MatchedVersion, RateRequest, ResolvedRate } from './resolved-rate.ts';
import {
  type Memory,
  type Named,
  type Resolution,
  memoryOf,
  remember,
  resolutionOf,
  scopeOf,
} from './rate-memory.step.ts';

/** Returns for each event, in order, whether a card would price it. */
export async function hasRateCard(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  requests: readonly RateRequest[],
): Promise<boolean[]> {
  return (await resolveRateCards(tx, organizationId, requests)).map(({ match }) => match !== null);
}

/**
 * Returns one result per request, in order. Costs one small query while rates are unchanged, for any number of
 * requests.
 */
export async function resolveRateCards(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  requests: readonly RateRequest[],
): Promise<ResolvedRate[]> {
  const resolved = await resolveRateCardsOf(tx, new Map([[organizationId, requests]]));
  return [...(resolved.get(organizationId) ?? [])];
}

/** Resolves requests, grouped by organization. One small query reads the rate generations of all of them. */
export async function resolveRateCardsOf<Request extends RateRequest>(
  tx: WriteTransaction,
  requests: ReadonlyMap<string, readonly Request[]>,
): Promise<ReadonlyMap<string, readonly ResolvedRate[]>> {
  const organizationIds = [...requests].flatMap(([organizationId, of]) => (of.length > 0 ? organizationId : []));
  const resolved = new Map<string, readonly ResolvedRate[]>();
  if (organizationIds.length === 0) return resolved;
  const generations = await readRateGenerations(tx, organizationIds);
  for (const [scope, ofScope] of Map.groupBy(organizationIds, (id) => scopeOf(id, generations))) {
    const memory = await memoryOf(tx, scope, generations);
    const groups = ofScope.map((organizationId) => requests.get(organizationId) ?? []);
    await remember(tx, scope, memory, groups);
    for (const [index, id] of ofScope.entries()) resolved.set(id, ratesOf(memory, groups[index]!));
  }
  return resolved;
}

function ratesOf(memory: Memory, requests: readonly RateRequest[]): ResolvedRate[] {
  const rates: ResolvedRate[] = [];
  for (const request of requests) rates.push(rateOf(memory, request));
  return rates;
}

function rateOf(memory: Memory, request: RateRequest): ResolvedRate {
  const rate = ownRateOf(memory, request);
  if (request.otherModels === undefined) return rate;
  const others = request.otherModels.map((model) => [model, ownRateOf(memory, { ...request, model }).match] as const);
  return { ...rate, others: new Map(others) };
}

function ownRateOf(memory: Memory, request: RateRequest): ResolvedRate {
  const { provider, matches, rates } = resolutionOf(memory, request);
  for (const { card, rule } of matches) {
    const version = versionAt(card, request.eventTimeMs);
    if (version === null) continue;
    const discounts = discountsOf(memory.discounts, card);
    const isListPrice = card.organizationId === null && discounts.length === 0;
    const list = isListPrice ? null : standardVersionOf(matches, request.eventTimeMs);
    const known = rates.get(version);
    if (known && known.list?.version === list?.version) return known;
    const rate = {
      provider,
      match: { card, version, discounts, rule },
      list,
      unknownAtBase: memory.unknownAtBase,
      cachedTokensRules: memory.cachedTokensRules,
    };
    rates.set(version, rate);
    return rate;
  }
  return { provider, match: null };
}

function standardVersionOf(matches: Resolution['matches'], atMs: number): MatchedVersion | null {
  for (const { card, rule } of matches) {
    const version = card.organizationId === null ? versionAt(card, atMs) : null;
    if (version !== null) return { card, version, discounts: NO_DISCOUNTS, rule };
  }
  return null;
}

/** Returns for each model, in order, whether any card's name matches, regardless of when its versions are in force. */
export async function matchesAnyCard(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  models: readonly Named[],
): Promise<boolean[]> {
  const generations = await readRateGenerations(tx, [organizationId]);
  const scope = scopeOf(organizationId, generations);
  const memory = await memoryOf(tx, scope, generations);
  await remember(tx, scope, memory, [models]);
  return models.map((model) => resolutionOf(memory, model).matches.length > 0);
}
