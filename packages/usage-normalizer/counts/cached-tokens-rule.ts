/** An organization's statement about ambiguous token counts: are cached tokens part of the input (decision 79)? */
import { canonicalProvider, UNKNOWN_PROVIDER } from '../names/canonical-provider.ts';

/**
 * The counts that the rule applies to: sent with an API key, by a source (an instrumentation scope, `litellm`), or
 * reported for a provider.
 */
export type CountsOf = 'api_key' | 'source' | 'provider';
type CachedTokens = 'included' | 'excluded';

export interface CachedTokensRule {
  readonly countsOf: CountsOf;
  /** Id of the key, name of the source, or slug of the provider. */
  readonly subject: string;
  readonly cachedTokens: CachedTokens;
}

/** The statement about one event's counts, and its origin. */
export interface CachedTokensStatement {
  readonly cachedTokens: CachedTokens;
  /** `the request states that cached tokens are included` */
  readonly why: string;
  /** True if the statement is about these very counts, not about all counts of a key, source or provider. */
  readonly isOfRequest: boolean;
}

/** The event field that stores what the request stated about its cached tokens. */
export const STATED_CACHED_TOKENS = 'stated_cached_tokens';

interface Sent {
  readonly apiKeyId?: string | null;
  readonly providerUsage?: Readonly<Record<string, unknown>> | null | undefined;
  /** As sent. */
  readonly provider?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The request's statement takes precedence over every rule. */
export function cachedTokensStatement(rules: readonly CachedTokensRule[], sent: Sent): CachedTokensStatement | null {
  const stated = sent.providerUsage?.[STATED_CACHED_TOKENS];
  if (stated === 'included' || stated === 'excluded')
    return { cachedTokens: stated, why: `the request states that cached tokens are ${stated}`, isOfRequest: true };
  const rule = cachedTokensRuleOf(rules, sent);
  if (rule === null) return null;
  const { countsOf, subject, cachedTokens } = rule;
  const why = `the organization states that cached tokens are ${cachedTokens} for counts of the ${countsOf} ${subject}`;
  return { cachedTokens, why, isOfRequest: false };
}

/**
 * A rule for the key takes precedence over one for the source, and that over one for the provider. Null if no rule
 * applies.
 */
export function cachedTokensRuleOf(rules: readonly CachedTokensRule[], sent: Sent): CachedTokensRule | null {
  if (rules.length === 0) return null;
  for (const [countsOf, subject] of subjectsOf(sent)) {
    const rule = rules.find((one) => one.countsOf === countsOf && one.subject === subject);
    if (rule !== undefined) return rule;
  }
  return null;
}

/** The possible senders of the counts, in the order of rule precedence. Null: unknown. */
export function subjectsOf({ apiKeyId, metadata, provider }: Sent): readonly (readonly [CountsOf, string | null])[] {
  return [
    ['api_key', apiKeyId ?? null],
    ['source', sourceOf(metadata)],
    ['provider', providerSubject(provider ?? null)],
  ];
}

/** The catalogue slug if the provider is known, else the name as sent, in lower case. */
export function providerSubject(provider: string | null): string | null {
  const slug = canonicalProvider(provider);
  return slug === null || slug === UNKNOWN_PROVIDER ? (provider?.trim().toLowerCase() ?? null) : slug;
}

/** Name of the source, as our own endpoints write it into the metadata. */
function sourceOf(metadata: Sent['metadata']): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  if (typeof metadata['litellm'] === 'object' && metadata['litellm'] !== null) return 'litellm';
  const telemetry = metadata['telemetry'];
  if (typeof telemetry !== 'object' || telemetry === null) return null;
  const { scope } = telemetry as { scope?: unknown };
  return typeof scope === 'string' ? scope : null;
}
