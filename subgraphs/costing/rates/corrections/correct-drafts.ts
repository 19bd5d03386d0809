/**
 * Applies corrections and dated aliases to the cards of a catalogue. They win over the catalogue. A correction without
 * effect is reported, so that it can be removed.
 */
import { money, quantity } from '#kernel/money.ts';
import { type IsoSpan, startMs } from '#kernel/time/iso-span.ts';
import { byRate, type TokenClass } from '#schema/token-classes.ts';
import { NO_RATES, type RateCardVersion, type RateVariant, type TokenRates } from '../rate-card-version.ts';
import type { CardDraft, VersionDraft } from './card-draft.ts';
import { changeOverTime, inForceAt } from './change-over-time.ts';
import { chargeKey } from './version-key.ts';

type Rates = Readonly<Partial<Record<TokenClass, string>>>;

/**
 * Replaces the prices it states, and keeps the rest of the card as in the catalogue. Rates are USD per million tokens.
 */
export interface PriceCorrection extends IsoSpan {
  readonly provider: string;
  /** Slugs of cards. */
  readonly models: readonly string[];
  readonly rates?: Rates;
  /** Replaces the card's own tiers. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[];
  /** Moves the card's tiers that begin above `from` input tokens. */
  readonly tierStart?: { readonly from: number; readonly to: number };
  /** Context keys whose catalogue rows do not apply: `hours`. */
  readonly dropContexts?: readonly string[];
  readonly contexts?: readonly CorrectedContext[];
  /** Where the price is published, and when it was read. */
  readonly source: string;
  readonly date: string;
}

export interface CorrectedContext {
  /** `tier=batch`, `hours=mon-fri_0900-1200@Asia/Shanghai`. */
  readonly context: string;
  /** A token class, a named unit price, or every class. */
  readonly class: string;
  readonly aboveInputTokens?: number;
  /** Exactly one of the two is set. */
  readonly rate?: string;
  readonly factor?: string;
}

/**
 * A name that refers to a different model over time. Its card has the rates of the model it referred to at each time.
 */
export interface DatedAlias {
  readonly provider: string;
  /** The first name is the slug of the alias's card. */
  readonly names: readonly string[];
  /** In order. Events before the first one wait. */
  readonly served: readonly {
    /** Absent: no lower bound. */
    readonly from?: string;
    /** Slug of a card of the same provider; null if the name referred to no model, or to an unknown one. */
    readonly model: string | null;
  }[];
  /** The name gets the rates of these models in the catalogue, before corrections. */
  readonly isUncorrected?: true;
  readonly source: string;
  readonly date: string;
}

export interface Corrections {
  readonly prices: readonly PriceCorrection[];
  readonly aliases: readonly DatedAlias[];
}

export interface CorrectedDrafts {
  readonly drafts: readonly CardDraft[];
  /** `provider/model: reason` for corrections that the catalogue now contains. */
  readonly unnecessary: readonly string[];
}

/** Returns the corrected cards, and the corrections that the catalogue makes unnecessary. */
export function correctDrafts(drafts: readonly CardDraft[], { prices, aliases }: Corrections): CorrectedDrafts {
  const corrected = drafts.map((draft) => ({
    ...draft,
    versions: correctVersions(draft, correctionsOf(draft, prices)),
  }));
  const moved = aliases.reduce((all, alias) => withAlias(all, alias, alias.isUncorrected ? drafts : all), corrected);
  return {
    drafts: moved,
    unnecessary: [
      ...prices.filter((correction) => isUnnecessary(correction, drafts, prices)).map(nameOfCorrection),
      ...aliases.filter((alias) => isKnownAlias(alias, drafts, corrected)).map(nameOfAlias),
    ],
  };
}

function correctionsOf({ providerSlug, modelSlug }: CardDraft, prices: readonly PriceCorrection[]): PriceCorrection[] {
  return prices.filter(({ provider, models }) => provider === providerSlug && models.includes(modelSlug));
}

function correctVersions({ versions }: CardDraft, corrections: readonly PriceCorrection[]): readonly VersionDraft[] {
  if (corrections.length === 0) return versions;
  return changeOverTime(versions, corrections, (version, active) =>
    active.length === 0 ? { version } : { version: active.reduce(withCorrection, version), isCorrected: true },
  );
}

function withCorrection(version: RateCardVersion, correction: PriceCorrection): RateCardVersion {
  const { rates = {}, tiers, tierStart, dropContexts = [], contexts = [], source, date } = correction;
  const moved = <Row extends { readonly aboveInputTokens: number }>(row: Row): Row =>
    row.aboveInputTokens === tierStart?.from ? { ...row, aboveInputTokens: tierStart.to } : row;
  const stated = contexts.map(({ context, class: name, aboveInputTokens = 0, rate, factor }): RateVariant => ({
    context,
    class: name,
    aboveInputTokens,
    rate: rate === undefined ? null : money(rate),
    factor: factor === undefined ? null : quantity(factor),
    source: `${source}, ${date}`,
  }));
  const kept = (version.variants ?? []).filter(
    (row) => !dropContexts.some((key) => hasKey(row.context, key)) && !stated.some((one) => isSameRow(one, row)),
  );
  const { variants: _, ...rest } = version;
  const variants = [...kept, ...stated].map(moved);
  return {
    ...rest,
    rates: withRates(version.rates, rates),
    tiers:
      tiers?.map(({ aboveInputTokens, ...above }) => ({ aboveInputTokens, ...withRates(NO_RATES, above) })) ??
      version.tiers.map(moved),
    ...(variants.length === 0 ? {} : { variants }),
  };
}

function withRates(rates: TokenRates, corrected: Rates): TokenRates {
  return byRate((name) => (corrected[name] === undefined ? rates[name] : money(corrected[name])));
}

function hasKey(context: string, key: string): boolean {
  return context.split(',').some((pair) => pair.startsWith(`${key}=`));
}

function isSameRow(one: RateVariant, other: RateVariant): boolean {
  return one.context === other.context && one.class === other.class && one.aboveInputTokens === other.aboveInputTokens;
}

/** Removes the names from the cards that have them, and adds a card with these names. */
function withAlias(drafts: readonly CardDraft[], alias: DatedAlias, served: readonly CardDraft[]): CardDraft[] {
  const versions = servedVersions(alias, served);
  if (versions.length === 0) return [...drafts];
  const [modelSlug = '', ...aliases] = alias.names;
  const own = { providerSlug: alias.provider, modelSlug, displayName: modelSlug, aliases, versions };
  return [...drafts.flatMap((draft) => withoutNames(draft, alias)), own];
}

/** A card that loses its slug uses the first of its other names. */
function withoutNames(draft: CardDraft, { provider, names }: DatedAlias): CardDraft[] {
  if (draft.providerSlug !== provider) return [draft];
  const [modelSlug, ...aliases] = [draft.modelSlug, ...draft.aliases].filter((name) => !names.includes(name));
  return modelSlug === undefined ? [] : [{ ...draft, modelSlug, aliases }];
}

/** Empty if a model that the name referred to has no card. */
function servedVersions({ provider, served }: DatedAlias, drafts: readonly CardDraft[]): VersionDraft[] {
  const cards = new Map(
    drafts.filter(({ providerSlug }) => providerSlug === provider).map((draft) => [draft.modelSlug, draft]),
  );
  if (served.some(({ model }) => model !== null && !cards.has(model))) return [];
  return served.flatMap(({ from, model }, index) => {
    const effectiveFrom = from ?? null;
    if (model === null) return [{ effectiveFrom, version: NOTHING_SERVED, isCorrected: true as const }];
    const start = startMs(from);
    const end = index + 1 < served.length ? startMs(served[index + 1]?.from) : Number.POSITIVE_INFINITY;
    const { versions } = cards.get(model)!;
    const first = inForceAt(versions, start);
    const later = versions.filter((each) => startMs(each.effectiveFrom) > start && startMs(each.effectiveFrom) < end);
    return [...(first ? [{ ...first, effectiveFrom }] : []), ...later].map((each) => ({
      ...each,
      isCorrected: true as const,
    }));
  });
}

/** A version without rates for any class: events wait. */
const NOTHING_SERVED: RateCardVersion = {
  rates: NO_RATES,
  tiers: [],
  unitPrices: {},
  perUnit: null,
  perUnitName: null,
};

function isUnnecessary(
  correction: PriceCorrection,
  drafts: readonly CardDraft[],
  prices: readonly PriceCorrection[],
): boolean {
  const own = drafts.filter((draft) => correctionsOf(draft, [correction]).length > 0);
  const others = prices.filter((each) => each !== correction);
  return (
    own.length > 0 &&
    own.every((draft) =>
      areAlike(
        correctVersions(draft, correctionsOf(draft, prices)),
        correctVersions(draft, correctionsOf(draft, others)),
      ),
    )
  );
}

/**
 * True if the catalogue has the same prices for every name. A single undated price does not show how long a name has
 * existed.
 */
function isKnownAlias(alias: DatedAlias, drafts: readonly CardDraft[], corrected: readonly CardDraft[]): boolean {
  const versions = servedVersions(alias, corrected);
  return (
    versions.length > 0 &&
    alias.names.every((name) => {
      const own = drafts.find(
        (draft) => draft.providerSlug === alias.provider && (draft.modelSlug === name || draft.aliases.includes(name)),
      );
      return own !== undefined && own.versions.length > 1 && areAlike(own.versions, versions);
    })
  );
}

/** True if both charge the same at every instant at which `other` has a version. */
function areAlike(one: readonly VersionDraft[], other: readonly VersionDraft[]): boolean {
  const first = startMs(other[0]?.effectiveFrom);
  const instants = [...one, ...other].map(({ effectiveFrom }) => startMs(effectiveFrom)).filter((at) => at >= first);
  return instants.every((at) => {
    const [left, right] = [inForceAt(one, at), inForceAt(other, at)];
    return left !== undefined && right !== undefined && chargeKey(left.version) === chargeKey(right.version);
  });
}

function nameOfCorrection({ provider, models, from, until }: PriceCorrection): string {
  const span = [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ');
  return `${provider}/${models.join(', ')}${span === '' ? '' : ` ${span}`}: the catalogue has this price`;
}

function nameOfAlias({ provider, names }: DatedAlias): string {
  return `${provider}/${names.join(', ')}: the catalogue knows which models this name referred to`;
}
