/**
 * Chooses the rate card that prices a model (decision 9, D21). A wrong price goes unnoticed, so a doubtful match is
 * worse than none.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { CandidateName } from '#usage/names/candidate-names.ts';
import { UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { chargesPricesOf, FALLBACK_PROVIDERS, MODEL_OWNERS, SOLE_OWNERS } from '#usage/names/catalogue-providers.ts';
import { RESELLERS } from '#usage/names/resellers.ts';
import { hasListPrice, sellersOfPath } from '#usage/names/sellers-of-path.ts';

/** The fields of a card that matching needs. */
export type MatchableCard = {
  readonly id: string;
  /** Null: a standard card. */
  readonly organizationId: OrganizationId | null;
  /** Null: the card applies to every provider. */
  readonly providerSlug: string | null;
  readonly modelSlug: string;
  /**
   * `catalogue`: matches an exact name, or one after version-like parts are dropped. `prefix`: a hand-written card,
   * matched by the beginning of a name.
   */
  readonly matchKind: 'catalogue' | 'prefix';
  /** All names of the card in lower case: its slug and its aliases. */
  readonly names: readonly string[];
};

export type RateCardMatch<Card extends MatchableCard = MatchableCard> = {
  readonly card: Card;
  /** The name of the card that matched. */
  readonly name: string;
  /** For display: `matched "claude-sonnet-4-5" after dropping "-20250929"`. */
  readonly rule: string;
};

/** An event's model and provider: the results of `candidateNames` and `canonicalProvider`. */
export type MatchQuery = {
  readonly organizationId: OrganizationId;
  readonly candidates: readonly CandidateName[];
  readonly provider: string | null;
  /** True if the event names a gateway instead of a provider. */
  readonly isThroughGateway?: boolean;
};

/**
 * Returns all cards that match, best first. The caller uses the first that has a version in force at
 * `event_invoked_at`, and may cache the list per (organization, provider, model). If the list is empty, the event
 * waits.
 *
 * `cards` are the rows of one indexed query. Extra rows do no harm, but missing rows do:
 *
 *     card.organization_id IS NULL OR card.organization_id = $organizationId, and a slug or alias of it
 *       = ANY($candidates)   -- for catalogue cards:    candidates.map(({ name }) => name)
 *       = ANY($prefixes)     -- for hand-written cards: prefixKeys(candidates, lengths)
 *
 * Each card must have all its names, not only the one that matched.
 *
 * The more specific name wins, then the organization's card, then an operator's, then the catalogue's. An alias that
 * extends a shorter name of its card counts as that shorter name: `gpt-4o-2024-08-06` is still `gpt-4o`.
 */
export function rankRateCards<Card extends MatchableCard>(
  query: MatchQuery,
  cards: readonly Card[],
): RateCardMatch<Card>[] {
  const own = cards.filter((card) => card.organizationId === null || card.organizationId === query.organizationId);
  const inPath = query.provider === null ? sellersOfPath(query.candidates[0]?.name ?? '') : [];
  const catalogue = own
    .flatMap((card) => catalogueMatch(query, card) ?? [])
    .filter((found) => query.isThroughGateway !== true || mayServeGateway(found, inPath))
    .toSorted(compareCatalogue(query.provider, inPath));
  const written = own.flatMap((card) => prefixMatch(query, card) ?? []).toSorted(compareWritten);
  return merge(written, catalogue).map(({ card, name, rule }) => ({ card, name, rule }));
}

/** The best match of {@link rankRateCards}; null if no card matches. */
export function matchRateCard<Card extends MatchableCard>(
  query: MatchQuery,
  cards: readonly Card[],
): RateCardMatch<Card> | null {
  return rankRateCards(query, cards)[0] ?? null;
}

/**
 * The keys by which hand-written cards are found: prefixes of every form of the model. `lengths` are the lengths, in
 * characters, of the names on such cards. Without them, a model name of 255 characters would have 255 prefixes for each
 * form.
 */
export function prefixKeys(candidates: readonly CandidateName[], lengths: readonly number[]): string[] {
  const forms = candidates.filter(({ versionsDropped }) => versionsDropped === 0).map(({ name }) => Array.from(name));
  return [
    ...new Set(
      forms.flatMap((form) =>
        lengths.filter((length) => length <= form.length).map((length) => form.slice(0, length).join('')),
      ),
    ),
  ];
}

type Found<Card extends MatchableCard> = RateCardMatch<Card> & {
  readonly candidate: CandidateName;
  /** Index of the candidate: the lower, the more specific. */
  readonly position: number;
  /** Length of the bare name without any path. Shows how specific the card is about the model. */
  readonly specificity: number;
  /**
   * 0: the event's own provider, or a card for all providers. 1: a provider whose prices also apply to the event's
   * provider. 2: the owner of a model that an unknown provider resells.
   */
  readonly providerDistance: number;
};

function catalogueMatch<Card extends MatchableCard>(query: MatchQuery, card: Card): Found<Card> | null {
  if (card.matchKind !== 'catalogue') return null;
  const distance = providerDistance(query.provider, card);
  const position = query.candidates.findIndex(({ name }) => card.names.includes(name));
  const candidate = query.candidates[position];
  if (distance === null || !candidate) return null;
  const { name } = candidate;
  const extended = card.names.map(bare).filter((each) => each !== '' && bare(name).startsWith(each));
  const note =
    query.provider === null
      ? `; provider inferred from the catalogue: ${card.providerSlug ?? 'any'}`
      : distance === 1
        ? `; ${priceOfOwner(query.provider, card.providerSlug)}`
        : distance === 2
          ? `; the provider is not known, and only ${card.providerSlug} sells a model of this name`
          : '';
  return {
    card,
    name,
    rule: `matched "${name}" ${candidate.rule}${note}`,
    candidate,
    position,
    specificity: Math.min(...extended.map((each) => each.length)),
    providerDistance: distance,
  };
}

function priceOfOwner(provider: string, owner: string | null): string {
  return chargesPricesOf(provider, owner)
    ? `${provider} charges the prices of ${owner}`
    : `the list price of ${owner}; the price of ${provider} is not known`;
}

function prefixMatch<Card extends MatchableCard>(query: MatchQuery, card: Card): Found<Card> | null {
  if (card.matchKind !== 'prefix') return null;
  const mayMatch = query.provider === UNKNOWN_PROVIDER && card.organizationId !== null;
  if (!mayMatch && providerDistance(query.provider, card) !== 0) return null;
  const found = query.candidates
    .filter(({ versionsDropped }) => versionsDropped === 0)
    .flatMap((candidate) => card.names.map((name) => ({ candidate, name })))
    .filter(({ candidate, name }) => name !== '' && candidate.name.startsWith(name))
    .toSorted((a, b) => bare(b.name).length - bare(a.name).length || b.name.length - a.name.length)[0];
  if (!found) return null;
  const { candidate, name } = found;
  return {
    card,
    name,
    rule: `matched "${name}" as longest prefix of "${candidate.name}" ${candidate.rule}`,
    candidate,
    position: query.candidates.indexOf(candidate),
    specificity: bare(name).length,
    providerDistance: 0,
  };
}

/** Null if the card does not apply to the provider. */
function providerDistance(provider: string | null, card: MatchableCard): 0 | 1 | 2 | null {
  if (provider === null || card.providerSlug === null || card.providerSlug === provider) return 0;
  if (provider === UNKNOWN_PROVIDER) return hasSingleSeller(card.providerSlug, card.modelSlug) ? 2 : null;
  const table = Object.hasOwn(FALLBACK_PROVIDERS, provider) ? FALLBACK_PROVIDERS : RESELLERS;
  const fallbacks = Object.hasOwn(table, provider) ? table[provider] : undefined;
  return fallbacks?.includes(card.providerSlug) ? 1 : null;
}

function hasSingleSeller(providerSlug: string, modelSlug: string): boolean {
  if (!Object.hasOwn(SOLE_OWNERS, providerSlug)) return false;
  return !SOLE_OWNERS[providerSlug]?.test(modelSlug);
}

/** A gateway sells at the owner's list price or forwards to the host in the model's name. No other host's price applies. */
function mayServeGateway(
  { card: { providerSlug }, name }: RateCardMatch<MatchableCard>,
  inPath: readonly string[],
): boolean {
  return providerSlug === null || hasListPrice(providerSlug, name) || inPath.includes(providerSlug);
}

function compareCatalogue(provider: string | null, inPath: readonly string[]) {
  return (a: Found<MatchableCard>, b: Found<MatchableCard>): number =>
    a.providerDistance - b.providerDistance ||
    (provider === null ? compareInferredProviders(a, b, inPath) : 0) ||
    a.position - b.position ||
    Number(a.card.providerSlug === null) - Number(b.card.providerSlug === null) ||
    byText(a.card.modelSlug, b.card.modelSlug) ||
    byText(a.card.id, b.card.id);
}

function compareWritten(a: Found<MatchableCard>, b: Found<MatchableCard>): number {
  return (
    b.specificity - a.specificity ||
    b.name.length - a.name.length ||
    Number(a.card.organizationId === null) - Number(b.card.organizationId === null) ||
    Number(a.card.providerSlug === null) - Number(b.card.providerSlug === null) ||
    byText(a.card.id, b.card.id)
  );
}

/** Merges two sorted lists. A hand-written card comes before a catalogue card that is not more specific. */
function merge<Card extends MatchableCard>(
  written: readonly Found<Card>[],
  catalogue: readonly Found<Card>[],
): Found<Card>[] {
  const [first, ...rest] = written;
  const [listed, ...others] = catalogue;
  if (!first || !listed) return [...written, ...catalogue];
  return first.specificity >= listed.specificity
    ? [first, ...merge(rest, catalogue)]
    : [listed, ...merge(written, others)];
}

function bare(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Orders cards of different providers if the event names none, most probable provider first.
 *
 * A provider in the path of the name comes first: `moonshotai/kimi-k2.6` costs what Moonshot charges, and has
 * OpenRouter's price only if OpenRouter is named. Then the form closest to the sent name decides. Within a form, the
 * model's owner precedes hosts, regardless of how many version suffixes were dropped: `claude-3-5-sonnet-20241022` is
 * Anthropic's, although Bedrock lists that exact name. Among hosts, OpenRouter is first (its `vendor/model` names are
 * the most common), then by name.
 */
function compareInferredProviders(a: InferredFrom, b: InferredFrom, inPath: readonly string[]): number {
  const [left, right] = [a.card.providerSlug ?? '', b.card.providerSlug ?? ''];
  return (
    pathIndex(left, inPath) - pathIndex(right, inPath) ||
    a.candidate.form - b.candidate.form ||
    rank(left) - rank(right) ||
    (left < right ? -1 : Number(left > right))
  );
}

function pathIndex(provider: string, inPath: readonly string[]): number {
  const index = inPath.indexOf(provider);
  return index === -1 ? inPath.length : index;
}

type InferredFrom = { readonly candidate: CandidateName; readonly card: { readonly providerSlug: string | null } };

function rank(provider: string): number {
  const owner = MODEL_OWNERS.indexOf(provider);
  return owner !== -1 ? owner : MODEL_OWNERS.length + Number(provider !== 'openrouter');
}
