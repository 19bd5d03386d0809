/** Finds calls whose price depends on a location that the event does not report. */
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import { contextPairs } from './pricing-context.ts';
import type { PriceableUsage, PricingCard } from './price-usage.ts';
import { namesLocation } from './serving-region.ts';

/** The catalogue's cards for Bedrock's regions and for inference profiles of one geography. */
const REGIONAL = /^regional\.(?:anthropic|openai)\./;
/** `anthropic.claude-…` is the name of a model in the caller's own region, `us.anthropic.claude-…` that of a profile. */
const NAME_AT_BEDROCK = /(?:^|[./])(?:anthropic|openai)\./;
const BEFORE_SURCHARGES = /^regional\.anthropic\.(?!claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9]|[5-9])|fable))/;
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
    return isSaid || BEFORE_SURCHARGES.test(modelSlug)
      ? null
      : 'the model’s name contains no inference profile, and calls through a global profile cost less than this price of regions';
  }
  if (seller !== 'google' || !(VERTEX.test(provider ?? '') || modelSlug.startsWith('claude-'))) return null;
  const dependsOnRegion = (version.variants ?? []).some(
    (row) => row.context === 'region=*' && row.factor?.eq(1) !== true,
  );
  return !dependsOnRegion || namesLocation(sources, model)
    ? null
    : 'the event states no location, and calls in a region cost more than this price of the global endpoint';
}

function isPartition(pair: string): boolean {
  return pair.startsWith('partition=');
}
