/** Prices events by the built-in catalogue with the rates that are stated on top of it, without a database. */
import { plain } from '#kernel/money.ts';
import { startMs } from '#kernel/time/iso-span.ts';
import { providerUsageOf } from '#usage/counts/provider-usage.ts';
import { rawCounts } from '#usage/counts/raw-counts.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { canonicalProvider, isGateway } from '#usage/names/canonical-provider.ts';
import { respelledNames } from '#usage/names/respelled-names.ts';
import { priceUsage } from '../../subgraphs/costing/pricing/price-usage.ts';
import { readBuiltInProviders } from '../../subgraphs/costing/rate-changes/built-in-catalogue.ts';
import { readCatalogue } from '../../subgraphs/costing/rate-changes/read-catalogue.ts';
import { correctDrafts } from '../../subgraphs/costing/rates/corrections/correct-drafts.ts';
import { DATED_ALIASES } from '../../subgraphs/costing/rates/corrections/dated-aliases.ts';
import { PRICE_CORRECTIONS } from '../../subgraphs/costing/rates/corrections/price-corrections.ts';
import { rankRateCards } from '../../subgraphs/costing/rates/matching/match-rate-card.ts';

export interface PricedCall {
  readonly provider?: string;
  readonly model: string;
  readonly usage: object;
  /** ISO 8601. */
  readonly at?: string;
}

export interface CataloguePrice {
  /** USD; null if the event waits. */
  readonly cost: string | null;
  readonly reading: string | null;
  /** Why the output is read as it is, with the reason for a guess; or the reason for waiting. */
  readonly why: string;
}

const READING_DAY = '2026-11-20T12:00:00Z';

/** `drafts` are read once for all calls. */
export async function cataloguePrices(): Promise<(call: PricedCall) => CataloguePrice> {
  const { drafts } = correctDrafts(readCatalogue(await readBuiltInProviders()).drafts, {
    prices: PRICE_CORRECTIONS,
    aliases: DATED_ALIASES,
  });
  const cards = drafts.map(({ providerSlug, modelSlug, aliases, versions }) => ({
    ...{ id: `${providerSlug}:${modelSlug}`, organizationId: null, providerSlug, modelSlug, versions },
    matchKind: 'catalogue' as const,
    names: [modelSlug, ...aliases],
  }));
  return ({ provider = null, model, usage, at = READING_DAY }) => {
    const slug = canonicalProvider(provider);
    const isThroughGateway = slug === null && isGateway(provider);
    const spelled = candidateNames(model);
    const candidates = [...spelled, ...respelledNames(spelled)];
    const query = { organizationId: '', candidates, provider: slug, isThroughGateway };
    const atMs = Date.parse(at);
    const found = rankRateCards(query, cards).flatMap(({ card }) => {
      const version = card.versions.findLast(({ effectiveFrom }) => startMs(effectiveFrom) <= atMs)?.version;
      return version === undefined ? [] : { version, providerSlug: card.providerSlug, isOfCatalogue: true };
    });
    const { input, output } = rawCounts({ ...usage });
    const event = {
      ...{ inputTokens: input ?? 0, outputTokens: output ?? 0, cacheReadInputTokens: null },
      ...{ cacheCreationInputTokens: null, reasoningTokens: null, costOverride: null, units: null, metadata: null },
      ...{ providerUsage: providerUsageOf({ usage }), provider, model, eventTimeMs: atMs },
    };
    const price = priceUsage(event, found[0] ?? null);
    if (price.kind === 'waiting') return { cost: null, reading: null, why: price.reason };
    return { cost: plain(price.priced.total), reading: price.tokens.name, why: price.tokens.output.why };
  };
}
