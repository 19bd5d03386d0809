/** Resolves the rate cards of many events in one call. Results are cached in the process until rates change. */
import type { CachedTokensRule } from './matching/cached-tokens-rule.ts';
import { listDiscounts } from '../agreements/discounts/agreement-term.table.ts';
import { type Discount, discountsOf, NO_DISCOUNTS } from '../agreements/discounts/discount.ts';
import { listCachedTokensRules } from './matching/cached-tokens-rule.table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type CandidateName, candidateNames } from './matching/candidate-names.ts';
import { canonicalProvider } from './matching/canonical-provider.ts';
import { prefixKeys, rankRateCards, type RateCardMatch } from './matching/match-rate-card.ts';
import { findContextPolicy } from './context-policy.table.ts';
import { findAliasesByName, type ModelAlias } from './model-alias.table.ts';
import { type DatedVersion, findCardsByName, type RatedCard, versionAt } from './rated-card.query.ts';
import { readRateGenerations } from './rate-generation.table.ts';
import { findPrefixLengths, knownProviders } from './matching/prefix-cards.query.ts';
import { GLOBAL_TENANT } from '../config.ts';

export interface RateRequest {
  /** As sent. */
  readonly model: string;
  /** As sent; null if the event does not name one. */
  readonly provider: string | null;
  /** When the event occurred, in milliseconds since 1970. Selects the version in force at that time. */
  readonly eventTimeMs: number;
  /** Additional models of the same provider whose rates the event needs. */
  readonly otherModels?: readonly string[];
}

export interface ResolvedRate {
  /** Slug of the event's provider, `unknown`, or null if the event does not name one. */
  readonly provider: string | null;
  /** Null: the event waits. */
  readonly match: MatchedVersion | null;
  /** The standard card that would price the event if the organization had none of its own; absent if one does. */
  readonly list?: MatchedVersion | null;
  /** True if the organization prices unknown contexts at base rates (decision 43). */
  readonly unknownAtBase?: boolean;
  readonly cachedTokensRules?: readonly CachedTokensRule[];
  /** Results for the additional models; null if no card matches. */
  readonly others?: ReadonlyMap<string, MatchedVersion | null>;
}

export interface MatchedVersion {
  readonly card: RatedCard;
  readonly version: DatedVersion;
  /** Agreed for the card, at any time. */
  readonly discounts: readonly Discount[];
  /** How the name matched the card, for display. */
  readonly rule: string;
}

/** Returns for each event, in order, whether a card would price it. */
export async function hasRateCard(
  tx: WriteTransaction,
  organizationId: string,
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
  organizationId: string,
  requests: readonly RateRequest[],
): Promise<ResolvedRate[]> {
  const resolved = await resolveRateCardsOf(tx, new Map([[organizationId, requests]]));
  return [...(resolved.get(organizationId) ?? [])];
}

/** Resolves requests of several organizations, grouped by organization, also with one small query. */
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

async function remember(
  tx: WriteTransaction,
  scope: string,
  memory: Memory,
  groups: readonly (readonly (Named & Pick<RateRequest, 'otherModels'>)[])[],
): Promise<void> {
  const isMissing = (named: Named) => !memory.resolutions.has(keyOf(named));
  const missing: Named[] = [];
  for (const requests of groups)
    for (const request of requests) {
      if (isMissing(request)) missing.push(request);
      if (request.otherModels)
        missing.push(...request.otherModels.map((model) => ({ ...request, model })).filter(isMissing));
    }
  if (missing.length > 0) await resolve(tx, scope, memory, missing);
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
  organizationId: string,
  models: readonly Named[],
): Promise<boolean[]> {
  const generations = await readRateGenerations(tx, [organizationId]);
  const scope = scopeOf(organizationId, generations);
  const memory = await memoryOf(tx, scope, generations);
  await remember(tx, scope, memory, [models]);
  return models.map((model) => resolutionOf(memory, model).matches.length > 0);
}

type Named = Pick<RateRequest, 'model' | 'provider'>;
type Resolution = {
  readonly provider: string | null;
  readonly matches: readonly RateCardMatch<RatedCard>[];
  /** Resolved rate by version in force. Cached so that all events of a version share one object. */
  readonly rates: Map<DatedVersion, ResolvedRate>;
};
type Memory = {
  readonly generation: string;
  readonly unknownAtBase: boolean;
  readonly cachedTokensRules: readonly CachedTokensRule[];
  readonly discounts: readonly Discount[];
  readonly providers: ReadonlySet<string>;
  /** Lengths of the names on hand-written cards. */
  readonly prefixLengths: readonly number[];
  readonly aliases: ReadonlyMap<string, readonly ModelAlias[]>;
  readonly resolutions: Map<string, Resolution>;
};

const SCOPES_MAX = 1_000;
const RESOLUTIONS_MAX = 5_000;

/** By database, then by scope. */
const memories = new WeakMap<object, Map<string, Memory>>();

/**
 * The scope of cards that price an organization's events: its own and the standard cards, or only the standard cards if
 * it never had rates of its own. Thousands of organizations can thus share one cache.
 */
function scopeOf(organizationId: string, generations: ReadonlyMap<string, string>): string {
  return generations.has(organizationId) ? organizationId : GLOBAL_TENANT;
}

async function memoryOf(
  tx: WriteTransaction,
  scope: string,
  generations: ReadonlyMap<string, string>,
): Promise<Memory> {
  const generation = [...new Set([GLOBAL_TENANT, scope])].map((id) => generations.get(id) ?? '').join(' ');
  const database = tx.em.getDriver();
  const known = memories.get(database) ?? new Map<string, Memory>();
  memories.set(database, known);
  const found = known.get(scope);
  if (found?.generation === generation && found.resolutions.size < RESOLUTIONS_MAX) return found;
  const memory = {
    generation,
    unknownAtBase: (await findContextPolicy(tx, scope))?.unknownContext === 'base',
    cachedTokensRules: await listCachedTokensRules(tx, scope),
    discounts: await listDiscounts(tx, scope),
    providers: await knownProviders(tx, scope),
    prefixLengths: await findPrefixLengths(tx, scope),
    aliases: await findAliasesByName(tx, scope),
    resolutions: new Map<string, Resolution>(),
  };
  if (known.size >= SCOPES_MAX) known.clear();
  known.set(scope, memory);
  return memory;
}

function resolutionOf(memory: Memory, named: Named): Resolution {
  const resolution = memory.resolutions.get(keyOf(named));
  if (!resolution) throw new Error('A resolved model was evicted from the cache within its own transaction');
  return resolution;
}

async function resolve(
  tx: WriteTransaction,
  organizationId: string,
  memory: Memory,
  requests: readonly Named[],
): Promise<void> {
  const queries = new Map(
    requests.map((request) => {
      const provider = canonicalProvider(request.provider, memory.providers);
      const alias = memory.aliases
        .get(request.model.trim().toLowerCase())
        ?.find(({ providerSlug }) => providerSlug === '' || providerSlug === provider);
      const candidates = candidateNames(alias?.model ?? request.model);
      const note = alias === undefined ? '' : `"${request.model}" is an alias of ${alias.model}; `;
      return [keyOf(request), { organizationId, candidates, provider, note }];
    }),
  );
  const names = new Set([...queries.values()].flatMap(({ candidates }) => namesOf(candidates, memory.prefixLengths)));
  const cards = await findCardsByName(tx, organizationId, [...names]);
  for (const [key, query] of queries) {
    const bearing = new Set(namesOf(query.candidates, memory.prefixLengths));
    const own = cards.filter((card) => card.names.some((name) => bearing.has(name)));
    const matches = rankRateCards(query, own).map((match) => ({ ...match, rule: query.note + match.rule }));
    memory.resolutions.set(key, { provider: query.provider, matches, rates: new Map() });
  }
}

function namesOf(candidates: readonly CandidateName[], prefixLengths: readonly number[]): string[] {
  return [...candidates.map(({ name }) => name), ...prefixKeys(candidates, prefixLengths)];
}

function keyOf({ model, provider }: Named): string {
  return `${provider ?? ''}\0${model}`;
}
