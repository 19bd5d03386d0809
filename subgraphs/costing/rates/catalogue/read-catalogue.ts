/** Reads the default price catalogue into drafts of standard rate cards, and says what it could not take over. */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';
import { catalogueNames } from './catalogue-names.ts';
import { MODEL_OWNERS } from '../matching/catalogue-providers.ts';
import { readCataloguePrice } from './read-catalogue-price.ts';
import { TOKEN_CLASS_NAMES } from '../../../../schema/token-classes.ts';
import type { RateCardVersion, RateVariant, TokenRates } from '../rate-card-version.ts';
import { longWriteRate } from '../stated-classes.ts';
import { statedFees } from './stated-fees.ts';
import { statedVariants, withStatedClasses } from '../stated-rates.ts';

type VersionDraft = {
  /** ISO date (UTC midnight) from which the catalogue states the price; null: no date given, the time of import. */
  readonly effectiveFrom: string | null;
  readonly version: RateCardVersion;
};

export type CardDraft = {
  readonly providerSlug: string;
  /** Lower case; bare for owners of models, `host/model` for hosts. Unique within the provider. */
  readonly modelSlug: string;
  readonly displayName: string;
  /** Names besides the slug, lower case, unique within the provider. */
  readonly aliases: readonly string[];
  /** By date, the undated one first; never empty. */
  readonly versions: readonly VersionDraft[];
};

/** `model` is `provider/id` as the catalogue writes it. */
type CatalogueFinding = { readonly model: string; readonly what: string };

export type CatalogueReading = {
  readonly drafts: readonly CardDraft[];
  /** Models that get no card, and why. */
  readonly dropped: readonly CatalogueFinding[];
  /** Parts of a price that its card leaves out, and why. */
  readonly omitted: readonly CatalogueFinding[];
};

/** `providers` is what `await waitForUpdate()` of the pinned package gives: embedded data, nothing is fetched. */
export function readCatalogue(providers: readonly Provider[]): CatalogueReading {
  const read = providers.flatMap((provider) => {
    const names = catalogueNames(provider.models);
    return provider.models.map((model, index) => readModel(provider, model, names[index] ?? []));
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
    if (constraint?.type === 'time_of_date') {
      // Hours have no start of their own upstream: they belong to the price that they follow.
      const [dated, version] = [...versions].at(-1) ?? [];
      const pair = hoursPair(constraint.start_time, constraint.end_time);
      if (dated === undefined || !version || pair === null)
        omitted.push(`the price from ${constraint.start_time}: no whole hours of a price`);
      else
        versions.set(dated, {
          ...version,
          variants: [...(version.variants ?? []), ...hoursVariants(pair, price.version.rates)],
        });
      continue;
    }
    versions.set(constraint?.start_date ?? null, price.version);
  }
  const stated = statedVariants(provider.id, modelSlug(provider.id, info.id));
  const dated = [...versions].map(([effectiveFrom, version]) => ({
    effectiveFrom,
    version: withStated(provider.id, modelSlug(provider.id, info.id), version, stated),
  }));
  if (dated.length === 0) return { draft: null, dropped: [finding('no price that a card can hold')], omitted: [] };
  const slug = modelSlug(provider.id, info.id);
  return {
    draft: {
      providerSlug: provider.id,
      modelSlug: slug,
      displayName: info.name ?? info.id,
      aliases: aliases.filter((name) => name !== slug),
      versions: dated.toSorted((a, b) => ((a.effectiveFrom ?? '') < (b.effectiveFrom ?? '') ? -1 : 1)),
    },
    dropped: [],
    omitted: [...new Set(omitted)].map(finding),
  };
}

function withStated(
  provider: string,
  slug: string,
  version: RateCardVersion,
  stated: readonly RateVariant[],
): RateCardVersion {
  const variants = [...(version.variants ?? []), ...stated];
  const rates = withStatedClasses(provider, slug, version.rates);
  const tiers = version.tiers.map((tier) => ({ ...tier, cacheCreation1h: longWriteRate(provider, slug, tier) }));
  const unitPrices =
    version.perUnit === null ? { ...statedFees(provider, slug), ...version.unitPrices } : version.unitPrices;
  return { ...version, rates, tiers, unitPrices, ...(variants.length === 0 ? {} : { variants }) };
}

const TIME = /^(\d\d):(\d\d)(?::00)?(?:Z|\+00:00)?$/;

/** `hours=0030-1630`, of the UTC day; null for a time that is none. */
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

/** An empty price means free only where the catalogue says so; elsewhere it means that no one knows. */
function isStatedFree(info: ModelInfo): boolean {
  return info.id.endsWith(':free') || /\bfree of charge\b/i.test(info.price_comments ?? '');
}
