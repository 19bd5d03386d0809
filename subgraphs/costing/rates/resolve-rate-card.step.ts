/** Finds the rate card of many events at once. What was found is remembered in the process until rates change. */
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { type CandidateName, candidateNames } from './matching/candidate-names.ts';
import { canonicalProvider } from './matching/canonical-provider.ts';
import { CATALOGUE_PROVIDERS } from './matching/catalogue-providers.ts';
import { prefixKeys, rankRateCards, type RateCardMatch } from './matching/match-rate-card.ts';
import { findContextPolicy } from './context-policy.table.ts';
import { findAliasesByName, type ModelAlias } from './model-alias.table.ts';
import { type DatedVersion, findCardsByName, type RatedCard, versionAt } from './rated-card.query.ts';
import { readRateGenerations } from './rate-generation.table.ts';
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
    await remember(
      em,
      scope,
      memory,
      ofScope.flatMap((organizationId) => (requests.get(organizationId) ?? []).flatMap(withOthers)),
    );
    for (const organizationId of ofScope)
      resolved.set(
        organizationId,
        (requests.get(organizationId) ?? []).map((request) => rateOf(memory, request)),
      );
  }
  return resolved;
}

function withOthers(request: RateRequest): RateRequest | RateRequest[] {
  if (request.otherModels === undefined) return request;
  return [request, ...request.otherModels.map((model) => otherRequest(request, model))];
}

function otherRequest({ provider, eventTimeMs }: RateRequest, model: string): RateRequest {
  return { provider, eventTimeMs, model };
}

function rateOf(memory: Memory, request: RateRequest): ResolvedRate {
  const rate = ownRateOf(memory, request);
  if (request.otherModels === undefined) return rate;
  const others = request.otherModels.map(
    (model) => [model, ownRateOf(memory, otherRequest(request, model)).match] as const,
  );
  return { ...rate, others: new Map(others) };
}

function ownRateOf(memory: Memory, request: RateRequest): ResolvedRate {
  const { provider, matches } = memory.resolutions.get(keyOf(request)) ?? unresolved();
  for (const { card, rule } of matches) {
    const version = versionAt(card, request.eventTimeMs);
    if (version) return { provider, match: { card, version, rule }, unknownAtBase: memory.unknownAtBase };
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
  await remember(em, scope, memory, models);
  return models.map((model) => {
    const { matches } = memory.resolutions.get(keyOf(model)) ?? unresolved();
    return matches.length > 0;
  });
}

type Named = Pick<RateRequest, 'model' | 'provider'>;
type Resolution = { readonly provider: string | null; readonly matches: readonly RateCardMatch<RatedCard>[] };
type Memory = {
  readonly generation: string;
  readonly unknownAtBase: boolean;
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
    providers: await knownProviders(em, scope),
    prefixLengths: await findPrefixLengths(em, scope),
    aliases: await findAliasesByName(em, scope),
    resolutions: new Map<string, Resolution>(),
  };
  if (known.size >= SCOPES_MAX) known.clear();
  known.set(scope, memory);
  return memory;
}

async function remember(em: EntityManager, scope: string, memory: Memory, requests: readonly Named[]): Promise<void> {
  const missing = requests.filter((request) => !memory.resolutions.has(keyOf(request)));
  if (missing.length > 0) await resolve(em, scope, memory, missing);
}

const KNOWN_PROVIDERS = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: string }>) => sql<{
    providerSlug: string;
  }>`select distinct provider_slug from rate_card
     where match_kind = 'prefix' and provider_slug is not null and organization_id in (${globalTenant}, ${organizationId})`,
);

/** Providers of the catalogue, and those that people named on their cards. */
async function knownProviders(em: EntityManager, organizationId: string): Promise<ReadonlySet<string>> {
  const rows = await run(em, KNOWN_PROVIDERS, { globalTenant: GLOBAL_TENANT, organizationId });
  return new Set([...Object.keys(CATALOGUE_PROVIDERS), ...rows.map((row) => row.providerSlug)]);
}

const FIND_PREFIX_LENGTHS = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: string }>) => sql<{
    length: number;
  }>`
    select distinct char_length(a.name)::int as length
    from rate_card card join rate_alias a on (a.organization_id, a.rate_card_id) = (card.organization_id, card.id)
    where card.match_kind = 'prefix' and card.organization_id in (${globalTenant}, ${organizationId})`,
);

async function findPrefixLengths(em: EntityManager, organizationId: string): Promise<number[]> {
  const rows = await run(em, FIND_PREFIX_LENGTHS, { globalTenant: GLOBAL_TENANT, organizationId });
  return rows.map(({ length }) => length);
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
    memory.resolutions.set(key, { provider: query.provider, matches });
  }
}

function namesOf(candidates: readonly CandidateName[], prefixLengths: readonly number[]): string[] {
  return [...candidates.map(({ name }) => name), ...prefixKeys(candidates, prefixLengths)];
}

function keyOf({ model, provider }: Named): string {
  return `${provider ?? ''}\0${model}`;
}

function unresolved(): never {
  throw new Error('A resolved model was forgotten within its own transaction');
}
