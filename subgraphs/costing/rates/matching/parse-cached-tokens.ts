/** Parses a statement about cached tokens: maps the GraphQL names to the table's. */
import { enumValue } from '#kernel/enum-value.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import type { CachedTokensSetInput, CachedTokensRule as Rule } from '../../resolvers.generated.ts';
import { type CachedTokensRule, type CountsOf, providerSubject } from '#usage/counts/cached-tokens-rule.ts';

const SUBJECT_CHARACTERS_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export function parseCachedTokens({ countsOf, subject, cachedTokens }: CachedTokensSetInput): Omit<
  CachedTokensRule,
  'cachedTokens'
> & {
  readonly cachedTokens: CachedTokensRule['cachedTokens'] | null;
} {
  const kind = countsOf.toLowerCase() as CountsOf;
  const text = subject.trim();
  if (text === '' || text.length > SUBJECT_CHARACTERS_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `subject must have 1 to ${SUBJECT_CHARACTERS_MAX} characters`);
  if (kind === 'api_key' && !isUuid(text)) fail('VALIDATION_ERROR', 'subject must be the id of an API key');
  const named = kind === 'provider' ? (providerSubject(text) ?? text) : kind === 'api_key' ? text.toLowerCase() : text;
  const stated = cachedTokens === 'INCLUDED' ? 'included' : cachedTokens === 'EXCLUDED' ? 'excluded' : null;
  return { countsOf: kind, subject: named, cachedTokens: stated };
}

export function toCachedTokensView(rule: CachedTokensRule & { readonly changedAt: string | Date }): Rule {
  const { countsOf, subject, cachedTokens, changedAt } = rule;
  return {
    countsOf: enumValue(countsOf),
    subject,
    cachedTokens: enumValue(cachedTokens),
    changedAt: new Date(changedAt),
  };
}
