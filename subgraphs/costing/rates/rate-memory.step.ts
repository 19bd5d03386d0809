/** Rate cards by the model names of events, cached in the process until rates change. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { CachedTokensRule } from '#usage/counts/cached-tokens-rule.ts';
import { listDiscounts } from './discounts/agreement-term.table.ts';
import { type Discount } from './discounts/discount.ts';
import { listCachedTokensRules } from './matching/cached-tokens-rule.table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type CandidateName, candidateNames } from '#usage/names/candidate-names.ts';
import { canonicalProvider, isGateway } from '#usage/names/canonical-provider.ts';
import { respelledNames } from '#usage/names/respelled-names.ts';
import { prefixKeys, rankRateCards, type RateCardMatch } from './matching/match-rate-card.ts';
import { findContextPolicy } from './context-policy.table.ts';
import { findAliasesByName, type ModelAlias } from './model-alias.table.ts';
import { type DatedVersion, findCardsByName, type RatedCard } from './rated-card.query.ts';
import { findPrefixLengths, knownProviders } from './matching/prefix-cards.query.ts';
import { GLOBAL_TENANT } from '../config.ts';
import type { RateRequest, ResolvedRate } from './resolved-rate.ts';

/** Resolves the models that the cache does not contain yet. */
export async function remember(
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

export type Named = Pick<RateRequest, 'model' | 'provider'>;
export type Resolution = {
  readonly provider: string | null;
  readonly matches: readonly RateCardMatch<RatedCard>[];
  /** Resolved rate by version in force. Cached so that all events of a version share one object. */
  readonly rates: Map<DatedVersion, ResolvedRate>;
};
export type Memory = {
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

/** Caches by database, then by scope. */
const memories = new WeakMap<object, Map<string, Memory>>();

/**
 * The scope of cards that price an organization's events: its own and the standard cards, or only the standard cards if
 * it never had rates of its own. Thousands of organizations can thus share one cache.
 */
export function scopeOf(organizationId: OrganizationId, generations: ReadonlyMap<string, string>): string {
  return generations.has(organizationId) ? organizationId : GLOBAL_TENANT;
}

/** The cache of a scope for these generations of rates; a new one if rates have changed since. */
export async function memoryOf(
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

/** Throws unless {@link remember} was called for the model before. */
export function resolutionOf(memory: Memory, named: Named): Resolution {
  const resolution = memory.resolutions.get(keyOf(named));
  if (!resolution) throw new Error('A resolved model was evicted from the cache within its own transaction');
  return resolution;
}

async function resolve(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  memory: Memory,
  requests: readonly Named[],
): Promise<void> {
  const queries = new Map(
    requests.map((request) => {
      const provider = canonicalProvider(request.provider, memory.providers);
      const alias = memory.aliases
        .get(request.model.trim().toLowerCase())
        ?.find(({ providerSlug }) => providerSlug === '' || providerSlug === provider);
      const spelled = candidateNames(alias?.model ?? request.model);
      const candidates = [...spelled, ...respelledNames(spelled)];
      const note = alias === undefined ? '' : `"${request.model}" is an alias of ${alias.model}; `;
      const isThroughGateway = provider === null && isGateway(request.provider);
      return [keyOf(request), { organizationId, candidates, provider, isThroughGateway, note }];
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
