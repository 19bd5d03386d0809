/** Reads the default price catalogue into drafts of standard rate cards, and says what it could not take over. */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';
import { catalogueNames } from './catalogue-names.ts';
import { MODEL_OWNERS } from '../matching/catalogue-providers.ts';
import { readCataloguePrice } from './read-catalogue-price.ts';
import type { RateCardVersion } from '../rate-card-version.ts';

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
    if (constraint?.type === 'time_of_date') {
      omitted.push(`the price between ${constraint.start_time} and ${constraint.end_time}: a card has no time of day`);
      continue;
    }
    const price = readCataloguePrice(prices, isStatedFree(info));
    if (price.kind === 'refused') return { draft: null, dropped: [finding(price.why)], omitted: [] };
    omitted.push(...price.omitted);
    versions.set(constraint?.start_date ?? null, price.version);
  }
  const dated = [...versions].map(([effectiveFrom, version]) => ({ effectiveFrom, version }));
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

/** An empty price means free only where the catalogue says so; elsewhere it means that no one knows. */
function isStatedFree(info: ModelInfo): boolean {
  return info.id.endsWith(':free') || /\bfree of charge\b/i.test(info.price_comments ?? '');
}
