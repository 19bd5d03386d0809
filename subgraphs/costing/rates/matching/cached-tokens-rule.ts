/** An organization's statement about ambiguous token counts: are cached tokens part of the input (decision 79)? */
import { canonicalProvider, UNKNOWN_PROVIDER } from './canonical-provider.ts';

/**
 * The counts the rule applies to: those sent with an API key, by a source (an instrumentation scope, `litellm`), or of
 * a provider.
 */
export type CountsOf = 'api_key' | 'source' | 'provider';
type CachedTokens = 'included' | 'excluded';

export interface CachedTokensRule {
  readonly countsOf: CountsOf;
  /** Id of the key, name of the source, or slug of the provider. */
  readonly subject: string;
  readonly cachedTokens: CachedTokens;
}

interface Sent {
  readonly apiKeyId?: string | null;
  /** As sent. */
  readonly provider?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A rule for the key precedes one for the source, which precedes one for the provider. Null if no rule applies. */
export function cachedTokensRuleOf(rules: readonly CachedTokensRule[], sent: Sent): CachedTokensRule | null {
  if (rules.length === 0) return null;
  const subjects: readonly [CountsOf, string | null][] = [
    ['api_key', sent.apiKeyId ?? null],
    ['source', sourceOf(sent.metadata)],
    ['provider', providerSubject(sent.provider ?? null)],
  ];
  for (const [countsOf, subject] of subjects) {
    const rule = rules.find((one) => one.countsOf === countsOf && one.subject === subject);
    if (rule !== undefined) return rule;
  }
  return null;
}

/** The catalogue slug if the provider is known, else the name as sent, in lower case. */
export function providerSubject(provider: string | null): string | null {
  const slug = canonicalProvider(provider);
  return slug === null || slug === UNKNOWN_PROVIDER ? (provider?.trim().toLowerCase() ?? null) : slug;
}

/** The source that our own endpoints write into the metadata. */
function sourceOf(metadata: Sent['metadata']): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  if (typeof metadata['litellm'] === 'object' && metadata['litellm'] !== null) return 'litellm';
  const telemetry = metadata['telemetry'];
  if (typeof telemetry !== 'object' || telemetry === null) return null;
  const { scope } = telemetry as { scope?: unknown };
  return typeof scope === 'string' ? scope : null;
}
