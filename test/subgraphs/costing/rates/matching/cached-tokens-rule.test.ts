/** Which statement of an organization decides about an event's cached tokens. */
import { expect, it } from 'vitest';
import { type CachedTokensRule, cachedTokensStatement } from '#usage/counts/cached-tokens-rule.ts';

// An API key, an instrumentation and a provider may have the same name.
const RULES: readonly CachedTokensRule[] = [
  { countsOf: 'provider', subject: 'openai', cachedTokens: 'excluded' },
  { countsOf: 'source', subject: 'openai', cachedTokens: 'included' },
  { countsOf: 'api_key', subject: 'key', cachedTokens: 'excluded' },
];
const [OF_PROVIDER, OF_SOURCE, OF_KEY] = RULES as [CachedTokensRule, CachedTokensRule, CachedTokensRule];
const fromOpenai = { metadata: { telemetry: { scope: 'openai' } } };

it.each<[string, readonly CachedTokensRule[], object, string | null]>([
  ['the provider', RULES, { provider: 'OpenAI' }, 'excluded for counts of the provider openai'],
  [
    'the source before the provider',
    RULES,
    { ...fromOpenai, provider: 'OpenAI' },
    'included for counts of the source openai',
  ],
  [
    'the key before both',
    RULES,
    { ...fromOpenai, provider: 'OpenAI', apiKeyId: 'key' },
    'excluded for counts of the api_key key',
  ],
  ['nothing: another kind has the name', [OF_SOURCE], { provider: 'OpenAI' }, null],
  ['nothing: another kind has the name of the source', [OF_PROVIDER, OF_KEY], fromOpenai, null],
  ['nothing: another kind has the name of the key', [OF_PROVIDER, OF_SOURCE], { apiKeyId: 'openai' }, null],
  ['nothing: no rules', [], { provider: 'OpenAI' }, null],
])('the statement that applies to cached tokens: %s', (_, rules, sent, expected) => {
  const statement = cachedTokensStatement(rules, sent);
  expect(statement?.why ?? null).toBe(expected && `the organization states that cached tokens are ${expected}`);
});
