/** Finds the rate card of many events at once. What was found is remembered in the process until rates change. */
import type { CachedTokensRule } from './matching/cached-tokens-rule.ts';
import { listCachedTokensRules } from './matching/cached-tokens-rule.table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
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
  /** As sent; null: none. */
  readonly provider: string | null;
  /** When the event occurred: the version in force then is taken. Milliseconds since 1970. */
  readonly eventTimeMs: number;
  /** Models besides its own whose rates it needs, at the same provider. */
  readonly otherModels?: readonly string[];
}

export interface ResolvedRate {
  /** Slug of the provider that the event names, `unknown`, or null where it names none. */
  readonly provider: string | null;
  /** Null: the event waits. */
  readonly match: MatchedVersion | null;
  /** Whether the organization has contexts without a price priced at base (decision 43). */
  readonly unknownAtBase?: boolean;
  readonly cachedTokensRules?: readonly CachedTokensRule[];
  /** Of the other models; null: none matches. */
  readonly others?: ReadonlyMap<string, MatchedVersion | null>;
}

interface MatchedVersion {
  readonly card: RatedCard;
  readonly version: DatedVersion;
  /** For people: how the name found the card. */
  readonly rule: string;
}

/** Whether a card would price each event, in order. */
export async function hasRateCard(
  em: EntityManager,
  organizationId: string,
  requests: readonly RateRequest[],
): Promise<boolean[]> {
  return (await resolveRateCards(em, organizationId, requests)).map(({ match }) => match !== null);
}

/** One answer for each request, in order. Without a change of rates it costs one small query, whatever the number. */
export async function resolveRateCards(
  em: EntityManager,
  organizationId: string,
  requests: readonly RateRequest[],
): Promise<ResolvedRate[]> {
  const resolved = await resolveRateCardsOf(em, new Map([[organizationId, requests]]));
  return [...(resolved.get(organizationId) ?? [])];
}

/** The same for several organizations, by organization: still one small query. */
export async function resolveRateCardsOf<Request extends RateRequest>(
  em: EntityManager,
  requests: ReadonlyMap<string, readonly Request[]>,
): Promise<ReadonlyMap<string, readonly ResolvedRate[]>> {
  const organizationIds = [...requests].flatMap(([organizationId, of]) => (of.length > 0 ? organizationId : []));
  const resolved = new Map<string, readonly ResolvedRate[]>();
  if (organizationIds.length === 0) return resolved;
  const generations = await readRateGenerations(em, organizationIds);
  for (const [scope, ofScope] of Map.groupBy(organizationIds, (id) => scopeOf(id, generations))) {
    const memory = await memoryOf(em, scope, generations);
    const groups = ofScope.map((organizationId) => requests.get(organizationId) ?? []);
    await remember(em, scope, memory, groups);
    for (const [index, id] of ofScope.entries()) resolved.set(id, ratesOf(memory, groups[index]!));
  }
  return resolved;
}

async function remember(
  em: EntityManager,
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
  if (missing.length > 0) await resolve(em, scope, memory, missing);
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
    const known = rates.get(version);
    if (known) return known;
    const rate = {
      provider,
      match: { card, version, rule },
      unknownAtBase: memory.unknownAtBase,
      cachedTokensRules: memory.cachedTokensRules,
    };
    rates.set(version, rate);
    return rate;
  }
  return { provider, match: null };
}

/** Whether a card's name matches each model, whenever its versions are in force. */
export async function matchesAnyCard(
  em: EntityManager,
  organizationId: string,
  models: readonly Named[],
): Promise<boolean[]> {
  const generations = await readRateGenerations(em, [organizationId]);
  const scope = scopeOf(organizationId, generations);
  const memory = await memoryOf(em, scope, generations);
  await remember(em, scope, memory, [models]);
  return models.map((model) => resolutionOf(memory, model).matches.length > 0);
}

type Named = Pick<RateRequest, 'model' | 'provider'>;
type Resolution = {
  readonly provider: string | null;
  readonly matches: readonly RateCardMatch<RatedCard>[];
  /** What it says of an event, by the version that is in force then: one object for all of them. */
  readonly rates: Map<DatedVersion, ResolvedRate>;
};
type Memory = {
  readonly generation: string;
  readonly unknownAtBase: boolean;
  readonly cachedTokensRules: readonly CachedTokensRule[];
  readonly providers: ReadonlySet<string>;
  /** Lengths of the names that people wrote on cards. */
  readonly prefixLengths: readonly number[];
  readonly aliases: ReadonlyMap<string, readonly ModelAlias[]>;
  readonly resolutions: Map<string, Resolution>;
};

const SCOPES_MAX = 1_000;
const RESOLUTIONS_MAX = 5_000;

/** By database, then by scope. */
const memories = new WeakMap<object, Map<string, Memory>>();

/**
 * Whose cards price an organization's events: its own and the standard ones, or the standard ones alone where it never had any of
 * its own. So thousands of organizations share what was found.
 */
function scopeOf(organizationId: string, generations: ReadonlyMap<string, string>): string {
  return generations.has(organizationId) ? organizationId : GLOBAL_TENANT;
}

async function memoryOf(em: EntityManager, scope: string, generations: ReadonlyMap<string, string>): Promise<Memory> {
  const generation = [...new Set([GLOBAL_TENANT, scope])].map((id) => generations.get(id) ?? '').join(' ');
  const database = em.getDriver();
  const known = memories.get(database) ?? new Map<string, Memory>();
  memories.set(database, known);
  const found = known.get(scope);
  if (found?.generation === generation && found.resolutions.size < RESOLUTIONS_MAX) return found;
  const memory = {
    generation,
    unknownAtBase: (await findContextPolicy(em, scope))?.unknownContext === 'base',
    cachedTokensRules: await listCachedTokensRules(em, scope),
    providers: await knownProviders(em, scope),
    prefixLengths: await findPrefixLengths(em, scope),
    aliases: await findAliasesByName(em, scope),
    resolutions: new Map<string, Resolution>(),
  };
  if (known.size >= SCOPES_MAX) known.clear();
  known.set(scope, memory);
  return memory;
}

function resolutionOf(memory: Memory, named: Named): Resolution {
  const resolution = memory.resolutions.get(keyOf(named));
  if (!resolution) throw new Error('A resolved model was forgotten within its own transaction');
  return resolution;
}

async function resolve(
  em: EntityManager,
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
  const cards = await findCardsByName(em, organizationId, [...names]);
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
