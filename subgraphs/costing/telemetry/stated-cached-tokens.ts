/** Stores a request's statement about cached tokens with each of its events. */
import { isObject } from '#kernel/json/json-object.ts';
import { STATED_CACHED_TOKENS } from '#usage/counts/cached-tokens-rule.ts';
import type { CachedTokens } from '../resolvers.generated.ts';
import type { SentCall } from './ingest-calls.step.ts';

/** Returns the calls unchanged if the request states nothing. */
export function withStatedCachedTokens(
  calls: readonly SentCall[],
  cachedTokens: CachedTokens | null | undefined,
): readonly SentCall[] {
  if (!cachedTokens) return calls;
  const stated = { [STATED_CACHED_TOKENS]: cachedTokens.toLowerCase() };
  return calls.map((call) => (isObject(call.item) ? { ...call, item: { ...call.item, ...stated } } : call));
}
