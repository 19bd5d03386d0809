/**
 * Finds prices that depend only on a caller's tag and are therefore doubtful. Next to a provider's usage object, a tag
 * may happen to have the name of a count or tier (`batch: true` on a nightly job). The event's top level and the usage
 * object itself are trusted.
 */
import { isDeepStrictEqual } from 'node:util';
import { contextPairs, readPricingContext } from './pricing-context.ts';
import { reportedCounts, type UsageTokens } from '#usage/counts/reported-counts.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import { countOrNull, valueAt } from '#usage/counts/value-at.ts';

/** Columns that ingestion fills from metadata if the top level lacks the field. */
const COLUMNS = [
  ['cacheReadInputTokens', 'cache_read_input_tokens'],
  ['cacheCreationInputTokens', 'cache_creation_input_tokens'],
  ['reasoningTokens', 'reasoning_tokens'],
] as const;

/** Null: the price is the same without the tags. `sources` are the event's usage sources. */
export function doubtOfTags(usage: UsageTokens, sources: readonly UsageSource[]): string | null {
  const { metadata } = usage;
  const stated = sources.filter(({ fields }) => fields !== metadata);
  if (stated.length === sources.length || !stated.some(({ isContainer }) => isContainer)) return null;
  const tagged = contextPairs(readPricingContext(sources, usage));
  const known = new Set(contextPairs(readPricingContext(stated, usage)));
  const context = tagged.filter((pair) => !known.has(pair));
  if (context.length > 0) return `only metadata states the pricing context ${context.join(', ')}`;
  const untagged = { ...usage };
  for (const [column, key] of COLUMNS)
    if (countOrNull(valueAt(metadata, [key])) === usage[column]) untagged[column] = null;
  return isDeepStrictEqual(reportedCounts(usage, sources), reportedCounts(untagged, stated))
    ? null
    : 'only metadata states some of the counts';
}
