/** Finds cached tokens that a card of the catalogue charges at the rate of another class, because it has none for them. */
import { type TokenClass, wireName } from '#schema/token-classes.ts';
import type { TokenQuantities } from '#usage/counts/token-quantities.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';

const CACHE_CLASSES = [
  'cacheRead',
  'cacheReadAudio',
  'cacheReadImage',
  'cacheCreation',
  'cacheCreation1h',
] as const satisfies readonly TokenClass[];

/** Providers that cache automatically and charge cache writes as input, unless the catalogue has a price for them. */
const WRITES_AS_INPUT: ReadonlySet<string> = new Set([
  'openai',
  'azure',
  'google',
  'deepseek',
  'x-ai',
  'mistral',
  'moonshotai',
  'groq',
]);

/** Names of the classes as on the wire. Empty for almost every event. */
export function assumedCacheRates(
  version: RateCardVersion,
  quantities: TokenQuantities,
  providerSlug: string | null,
): readonly string[] {
  const counted = CACHE_CLASSES.filter((name) => !quantities[name].isZero());
  if (counted.length === 0) return NONE;
  const isWrittenAsInput = providerSlug !== null && WRITES_AS_INPUT.has(providerSlug);
  return counted.filter((name) => isAssumed(version, name, isWrittenAsInput)).map(wireName);
}

const NONE: readonly string[] = [];

function isAssumed(version: RateCardVersion, name: TokenClass, isWrittenAsInput: boolean): boolean {
  if (hasRate(version, name) || effectiveRates(version.rates)[name]?.isZero() === true) return false;
  if (name === 'cacheCreation') return !isWrittenAsInput;
  if (name === 'cacheReadImage' && version.rates.inputImage === null)
    return isAssumed(version, 'cacheRead', isWrittenAsInput);
  return true;
}

/** True if the card has a rate for the class, on any level or in any context. */
function hasRate({ rates, tiers, variants = [] }: RateCardVersion, name: TokenClass): boolean {
  return (
    rates[name] !== null ||
    tiers.some((tier) => tier[name] !== null) ||
    variants.some((variant) => variant.class === name)
  );
}
