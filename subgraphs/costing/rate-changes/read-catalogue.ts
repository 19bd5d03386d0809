/** Converts the default price catalogue into drafts of standard rate cards, and reports what it could not convert. */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';
import { catalogueNames } from './catalogue-names.ts';
import { MODEL_OWNERS } from '#usage/names/catalogue-providers.ts';
import { readCataloguePrice } from './read-catalogue-price.ts';
import { TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import { startMs } from '#kernel/time/iso-span.ts';
import type { CardDraft, VersionDraft } from '../rates/corrections/card-draft.ts';
import { changeOverTime } from '../rates/corrections/change-over-time.ts';
import type { RateCardVersion, RateVariant, TokenRates } from '../rates/rate-card-version.ts';
import { longWriteRate } from '../rates/stated-classes.ts';
import { feeSpans, statedFees } from './stated-fees.ts';
import { withStatedModels } from './stated-models.ts';
import { statedNames } from './stated-names.ts';
import { statedSpans, statedVariants, withStatedClasses } from '../rates/stated-rates.ts';

/** `model` is `provider/id` as written in the catalogue. */
type CatalogueFinding = { readonly model: string; readonly what: string };

export type CatalogueReading = {
  readonly drafts: readonly CardDraft[];
  /** Models without a card, with the reason. */
  readonly dropped: readonly CatalogueFinding[];
  /** Parts of a price that its card omits, with the reason. */
  readonly omitted: readonly CatalogueFinding[];
};

/** `providers` is the result of `await waitForUpdate()` of the pinned package: embedded data, nothing is fetched. */
export function readCatalogue(providers: readonly Provider[]): CatalogueReading {
  const read = providers.flatMap((provider) => {
    const models = withStatedModels(provider);
    const names = catalogueNames(models);
    const known = new Set(names.flat());
    return models.map((model, index) => {
      const stated = statedNames(provider.id, model.id).filter((name) => !known.has(name));
      return readModel(provider, model, [...(names[index] ?? []), ...stated]);
    });
  });
  return {
    drafts: read.flatMap(({ draft }) => draft ?? []),
    dropped: read.flatMap(({ dropped }) => dropped),
    omitted: read.flatMap(({ omitted }) => omitted),
  };
}

function modelSlug(providerSlug: string, modelId: string): string {
  const id = modelId.trim().toLowerCase();
  return MODEL_OWNERS.includes(providerSlug) ? id : `${providerSlug}/${id}`;
}

type ModelReading = { draft: CardDraft | null; dropped: CatalogueFinding[]; omitted: CatalogueFinding[] };

function readModel(provider: Provider, info: ModelInfo, aliases: readonly string[]): ModelReading {
  const model = `${provider.id}/${info.id}`;
  const finding = (what: string): CatalogueFinding => ({ model, what });
  const omitted: string[] = [];
  const versions = new Map<string | null, RateCardVersion>();
  for (const { constraint, prices } of Array.isArray(info.prices) ? info.prices : [{ prices: info.prices }]) {
    const price = readCataloguePrice(prices, isStatedFree(info));
    if (price.kind === 'refused') return { draft: null, dropped: [finding(price.why)], omitted: [] };
    omitted.push(...price.omitted);
    // The package has a type field in constraints, the published JSON does not.
    if (constraint && 'start_time' in constraint) {
      // Upstream hours have no start date of their own: they belong to the price before them.
      const [dated, version] = [...versions].at(-1) ?? [];
      const pair = hoursPair(constraint.start_time, constraint.end_time);
      if (dated === undefined || !version || pair === null)
        omitted.push(`the price from ${constraint.start_time}: its hours are invalid`);
      else
        versions.set(dated, {
          ...version,
          variants: [...(version.variants ?? []), ...hoursVariants(pair, price.version.rates)],
        });
      continue;
    }
    versions.set(constraint?.start_date ?? null, price.version);
  }
  const slug = modelSlug(provider.id, info.id);
  const dated = withStatedRates(
    provider.id,
    slug,
    [...versions]
      .map(([effectiveFrom, version]) => ({ effectiveFrom, version }))
      .toSorted((a, b) => startMs(a.effectiveFrom) - startMs(b.effectiveFrom) || 0),
  );
  if (dated.length === 0)
    return { draft: null, dropped: [finding('the price contains nothing that a rate card can store')], omitted: [] };
  return {
    draft: {
      providerSlug: provider.id,
      modelSlug: slug,
      displayName: info.name ?? info.id,
      aliases: aliases.filter((name) => name !== slug),
      versions: dated,
    },
    dropped: [],
    omitted: [...new Set(omitted)].map(finding),
  };
}

/**
 * Adds prices stated by hand for their periods. Where such a period begins or ends, the past of a stored card is
 * corrected too.
 */
function withStatedRates(
  provider: string,
  modelSlug: string,
  versions: readonly VersionDraft[],
): readonly VersionDraft[] {
  const spans = [...statedSpans(provider, modelSlug), ...feeSpans(provider, modelSlug)];
  return changeOverTime(versions, spans, (version, active, atMs) => ({
    version: withStated(provider, modelSlug, version, atMs),
    ...(active.length > 0 || spans.some(({ until }) => until !== undefined && startMs(until) <= atMs)
      ? { isCorrected: true as const }
      : {}),
  }));
}

function withStated(provider: string, slug: string, version: RateCardVersion, atMs: number): RateCardVersion {
  const variants = [...(version.variants ?? []), ...statedVariants(provider, slug, atMs)];
  const rates = withStatedClasses(provider, slug, version.rates, atMs);
  const tiers = version.tiers.map((tier) => ({ ...tier, cacheCreation1h: longWriteRate(provider, slug, tier) }));
  const unitPrices =
    version.perUnit === null ? { ...statedFees(provider, slug, atMs), ...version.unitPrices } : version.unitPrices;
  return { ...version, rates, tiers, unitPrices, ...(variants.length === 0 ? {} : { variants }) };
}

const TIME = /^(\d\d):(\d\d)(?::00)?(?:Z|\+00:00)?$/;

/** `hours=0030-1630` in UTC; null if a time is invalid. */
function hoursPair(start: string, end: string): string | null {
  const [from, to] = [TIME.exec(start), TIME.exec(end)];
  return from && to ? `hours=${from[1]}${from[2]}-${to[1]}${to[2]}` : null;
}

function hoursVariants(context: string, rates: TokenRates): RateVariant[] {
  return TOKEN_CLASS_NAMES.flatMap((name): RateVariant[] =>
    rates[name] === null
      ? []
      : [{ context, class: name, aboveInputTokens: 0, rate: rates[name], factor: null, source: 'the catalogue' }],
  );
}

/** An empty price means free only if the catalogue says so; otherwise the price is unknown. */
function isStatedFree(info: ModelInfo): boolean {
  return info.id.endsWith(':free') || /\bfree of charge\b/i.test(info.price_comments ?? '');
}
