/** Builds the rate estimation table. A client finds the ledger's rates in it by longest-prefix match. */
import type { OrganizationId } from '#kernel/ids.ts';
import { type Money, ZERO, plain } from '#kernel/money.ts';
import {
  byClass,
  type ByClass,
  COUNTED_CLASSES,
  type CountedClass,
  isRequired,
  wireName,
} from '#schema/token-classes.ts';
import type { RateEstimate, UnitRateEstimate } from '../resolvers.generated.ts';
import { type Discount, discountAt, discountsOf, NO_DISCOUNTS } from './discounts/discount.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { GOVERNMENT_CONTEXT, isOfGovernment } from '#usage/names/government-cloud.ts';
import { effectiveRates } from './effective-rates.ts';
import { type MatchableCard, matchRateCard } from './matching/match-rate-card.ts';
import { type RateCardVersion, type TokenRates, unitInWords } from './rate-card-version.ts';

export type EstimationCard = MatchableCard & {
  /** The version in force. */
  readonly version: RateCardVersion;
};

/** USD per million tokens on the base level, including derived rates. A class with a null rate cannot be priced. */
export type EstimationRow = ByClass<Money, Money | null> & { readonly modelSlug: string };

/** A model priced per unit. The rate is in USD per unit. */
interface UnitEstimationRow {
  readonly modelSlug: string;
  readonly unit: string;
  readonly costPerUnit: Money;
}

export interface EstimationTables {
  readonly tokens: readonly EstimationRow[];
  readonly units: readonly UnitEstimationRow[];
}

/**
 * One row for each name (slug or alias, decision 9, D21) of every card the organization may use, sorted by name. Each
 * row contains the rates the ledger would charge for that name without a provider, so the organization's own rates take
 * precedence. Cards priced per unit are in a separate table. A missing required rate is shown as 0 (decision 9, D37); a
 * name without any rate, because the provider retired it, is left out. A model name of a government cloud has that
 * cloud's rates. If there are none, the name is left out, because its events wait. Agreed discounts in force at `atMs`
 * are subtracted.
 */
export function estimationTable(
  organizationId: OrganizationId,
  cards: readonly EstimationCard[],
  discounts: readonly Discount[] = NO_DISCOUNTS,
  atMs = 0,
): EstimationTables {
  const visible = cards.filter((card) => card.organizationId === null || card.organizationId === organizationId);
  const written = visible.filter(({ matchKind }) => matchKind === 'prefix');
  const listed = visible.filter(({ matchKind }) => matchKind === 'catalogue');
  const byName = Map.groupBy(
    listed.flatMap((card) => card.names.map((name) => ({ name, card }))),
    ({ name }) => name,
  );
  const names = new Set(visible.flatMap((card) => card.names));
  const units: UnitEstimationRow[] = [];
  const tokens = [...names].flatMap((name) => {
    const candidates = candidateNames(name);
    const found = candidates.flatMap((candidate) => (byName.get(candidate.name) ?? []).map(({ card }) => card));
    const match = matchRateCard({ organizationId, candidates, provider: null }, [...written, ...new Set(found)]);
    if (!match) return [];
    const { version } = match.card;
    const ofCard = discountsOf(discounts, match.card);
    const less = (item: string, rate: Money) => rate.times(discountAt(ofCard, item, atMs)?.factor ?? 1);
    if (version.perUnit !== null) {
      units.push({ modelSlug: name, unit: unitInWords(version), costPerUnit: less('units', version.perUnit) });
      return [];
    }
    const rates = isOfGovernment(name) ? ratesIn(GOVERNMENT_CONTEXT, version) : version.rates;
    if (rates === null || hasNoRate(rates)) return [];
    return [name, ...datedStem(name, names)].map((slug) => row(slug, rates, less));
  });
  return { tokens: tokens.toSorted(byModel), units: units.toSorted(byModel) };
}

/** Null if the card has no rates of its own for the context. */
function ratesIn(context: string, { rates, variants = [] }: RateCardVersion): TokenRates | null {
  const own = variants.filter((variant) => variant.context === context && variant.aboveInputTokens === 0);
  if (own.length === 0) return null;
  return { ...rates, ...Object.fromEntries(own.map(({ class: name, rate }) => [name, rate])) };
}

function hasNoRate(rates: TokenRates): boolean {
  return Object.values(rates).every((rate) => rate === null);
}

function byModel(one: { readonly modelSlug: string }, other: { readonly modelSlug: string }): number {
  return one.modelSlug < other.modelSlug ? -1 : 1;
}

/**
 * `gpt-5-2025-…` is a dated `gpt-5`, not a `gpt-5-2`. If both names exist, a row for `gpt-5-20` leads clients to
 * `gpt-5`.
 */
function datedStem(name: string, names: ReadonlySet<string>): string[] {
  const stem = `${name}-20`;
  return names.has(`${name}-2`) && !names.has(stem) ? [stem] : [];
}

function row(modelSlug: string, set: TokenRates, less: (item: string, rate: Money) => Money): EstimationRow {
  const rates = effectiveRates(set);
  const rateOf = (name: CountedClass) => {
    const rate = rates[name];
    return rate === null ? null : less(wireName(name), rate);
  };
  return {
    modelSlug,
    ...byClass<Money, Money | null>((name) => rateOf(name) ?? (isRequired(name) ? ZERO : null)),
  };
}

/** Rows are built lazily, on request. */
export interface RateEstimatesView {
  table(): RateEstimate[];
  list(): Record<string, string | null>[];
  /** Models priced per unit. */
  units(): UnitRateEstimate[];
}

/** The rate estimation table as returned to callers: as a GraphQL type, or with the contract's field names. */
export function toRateEstimatesView({ tokens, units }: EstimationTables): RateEstimatesView {
  return {
    table: () => tokens.map(toRateEstimateView),
    list: () => tokens.map(toRateEstimateRow),
    units: () => [...units],
  };
}

type PerMillion = { readonly [C in CountedClass as `${C}CostPerMillion`]: RateEstimate[`${C}CostPerMillion`] };

function toRateEstimateView({ modelSlug, ...rates }: EstimationRow): RateEstimate {
  const perMillion = COUNTED_CLASSES.map((name) => [`${name}CostPerMillion`, rates[name]]);
  return { modelSlug, ...(Object.fromEntries(perMillion) as PerMillion) };
}

/** One item of the contract's estimation table (contract.md, "Rate estimation table"). */
function toRateEstimateRow({ modelSlug, ...rates }: EstimationRow): Record<string, string | null> {
  const perMillion = COUNTED_CLASSES.map(
    (name) => [`${wireName(name)}_cost_per_million`, orNull(rates[name])] as const,
  );
  return { model_slug: modelSlug, ...Object.fromEntries(perMillion) };
}

function orNull(rate: Money | null): string | null {
  return rate === null ? null : plain(rate);
}
