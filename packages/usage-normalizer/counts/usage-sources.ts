/** Finds the objects in which an event may contain a provider's usage. */
import type { Fields } from '#kernel/json/json-object.ts';
import { DOCUMENTED_KEYS, USAGE_CONTAINERS, USAGE_KEYS } from './provider-usage.ts';
import { valueAt } from './value-at.ts';

export interface UsageSource {
  readonly fields: Fields;
  /** True if its name shows that it is part of a response, not the caller's own metadata. */
  readonly isContainer: boolean;
}

/** Objects in which an event may contain usage, the top level before metadata; empty for almost every event. */
export function usageSources(providerUsage: unknown, metadata: unknown): UsageSource[] {
  const sources: UsageSource[] = [];
  for (const holder of [providerUsage, metadata]) {
    if (typeof holder !== 'object' || holder === null) continue;
    if (holder !== providerUsage && !hasUsageKey(holder)) continue;
    sources.push({ fields: holder as Fields, isContainer: false });
    for (const name of USAGE_CONTAINERS) {
      const inner = valueAt(holder, [name]);
      if (typeof inner === 'object' && inner !== null) {
        sources.push({ fields: inner as Fields, isContainer: true });
        // Cohere's billed counts, and the provider's own object within those of the AI SDK and Spring AI.
        for (const part of ['billed_units', 'raw', 'nativeUsage']) {
          const fields = valueAt(inner, [part]);
          if (typeof fields === 'object' && fields !== null)
            sources.push({ fields: fields as Fields, isContainer: true });
        }
      }
    }
  }
  return sources;
}

/** Documented keys also count in metadata, as they do at the top level. */
function hasUsageKey(holder: object): boolean {
  for (const key in holder) if (USAGE_KEYS.has(key) || DOCUMENTED_KEYS.has(key)) return true;
  return false;
}
