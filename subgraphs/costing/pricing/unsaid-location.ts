/** Finds calls whose price depends on a location that the event does not report. */
import { CLAUDE_4_5_ON } from '../rates/stated/stated-regions.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import { contextPairs } from './pricing-context.ts';
import type { PriceableUsage, PricingCard } from './price-usage.ts';
import { namesLocation } from './serving-region.ts';

/** The catalogue's cards for Bedrock's regions and for inference profiles of one geography. */
const REGIONAL = /^regional\.(?:anthropic|openai)\./;
/** `anthropic.claude-…` is the name of a model in the caller's own region, `us.anthropic.claude-…` that of a profile. */
const NAME_AT_BEDROCK = /(?:^|[./])(?:anthropic|openai)\./;
/** Google's Gemini API has no locations, and sells no Claude. */
const VERTEX = /vertex/i;

/**
 * The reason why the price is a guess; null if it does not depend on the location, or the location is known. `context`
 * is the pricing context that was used.
 */
export function unsaidLocation(
  { model, provider }: PriceableUsage,
  { version, modelSlug = '', isOfCatalogue = false }: PricingCard,
  seller: string | null,
  sources: readonly UsageSource[],
  context: string,
): string | null {
  if (!isOfCatalogue) return null;
  if (seller === 'aws' && REGIONAL.test(modelSlug)) {
    const isSaid = NAME_AT_BEDROCK.test(model.toLowerCase()) || contextPairs(context).some(isPartition);
    return isSaid || costsTheSameEverywhere(modelSlug)
      ? null
      : 'the name of the model contains no inference profile, and calls through a global profile cost less than this regional price';
  }
  if (seller !== 'google' || !(VERTEX.test(provider ?? '') || modelSlug.startsWith('claude-'))) return null;
  const dependsOnRegion = (version.variants ?? []).some(
    (row) => row.context === 'region=*' && row.factor?.eq(1) !== true,
  );
  return !dependsOnRegion || namesLocation(sources, model)
    ? null
    : 'the event states no location, and calls in a region cost more than this price of the global endpoint';
}

/** True for earlier Claude models on a regional card. */
function costsTheSameEverywhere(modelSlug: string): boolean {
  return modelSlug.includes('anthropic.') && !CLAUDE_4_5_ON.test(modelSlug.replace(REGIONAL, ''));
}

function isPartition(pair: string): boolean {
  return pair.startsWith('partition=');
}
