/** The names under which a model is looked up, their order, and parts that are never dropped. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CANDIDATES_MAX, candidateNames } from '#usage/names/candidate-names.ts';

const namesOf = (model: string) => candidateNames(model).map(({ name }) => name);

test.each<[string, string[]]>([
  ['  GPT-4o ', ['gpt-4o']],
  ['gpt-4.1', ['gpt-4.1']],
  ['claude-sonnet-4-5-20250929', ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5']],
  ['gpt-4o-2024-05-13', ['gpt-4o-2024-05-13', 'gpt-4o']],
  ['gpt-3.5-turbo-0301', ['gpt-3.5-turbo-0301', 'gpt-3.5-turbo']],
  ['gemini-1.5-pro-002', ['gemini-1.5-pro-002', 'gemini-1.5-pro']],
  ['gpt-4-1106-preview', ['gpt-4-1106-preview', 'gpt-4-1106', 'gpt-4']],
  ['claude-sonnet-4-5@20250929', ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5']],
  [
    'models/gemini-2.5-pro-exp',
    ['models/gemini-2.5-pro-exp', 'gemini-2.5-pro-exp', 'models/gemini-2.5-pro', 'gemini-2.5-pro'],
  ],
  ['z-ai/glm-5.1-20260406', ['z-ai/glm-5.1-20260406', 'glm-5.1-20260406', 'z-ai/glm-5.1', 'glm-5.1']],
  ['openai/gpt-4o:online', ['openai/gpt-4o:online', 'openai/gpt-4o', 'gpt-4o']],
  ['qwen/qwq-32b:free', ['qwen/qwq-32b:free', 'qwq-32b:free']],
  [
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'us.anthropic.claude-sonnet-4-5-20250929',
      'us.anthropic.claude-sonnet-4-5',
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      'anthropic.claude-sonnet-4-5-20250929',
      'anthropic.claude-sonnet-4-5',
    ],
  ],
  [
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0',
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0',
      'eu.amazon.nova-lite-v1:0',
      'eu.amazon.nova-lite',
      'amazon.nova-lite-v1:0',
      'amazon.nova-lite',
    ],
  ],
  // A month that does not exist, a size, a family: parts of names, not versions.
  ['mistral-large-2411', ['mistral-large-2411']],
  ['llama-3.3-70b', ['llama-3.3-70b']],
  ['gpt-4o-mini', ['gpt-4o-mini']],
  ['gemini-2.5-flash:thinking', ['gemini-2.5-flash:thinking']],
])('the candidate names of %s are tried in order', (model, names) => {
  expect(namesOf(model)).toEqual(names);
});

test('each candidate lists what was dropped from the name', () => {
  expect(candidateNames('anthropic/claude-3-opus-20240229').map(({ rule }) => rule)).toEqual([
    'as sent',
    'after dropping "anthropic/"',
    'after dropping "-20240229"',
    'after dropping "anthropic/" and "-20240229"',
  ]);
});

test('candidates are few, distinct and never empty, and the first is the name as sent', () => {
  const piece = fc.constantFrom(
    'openai/',
    'models/',
    'us.',
    'anthropic.',
    'gpt-4',
    'x',
    '-v1:0',
    '-20250929',
    '-latest',
    ':online',
    '/',
    '-',
    ':1',
    '@20250929',
  );
  const composed = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(composed, fc.string()), (model) => {
      const names = namesOf(model);
      expect(names[0]).toBe(model.trim().toLowerCase());
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBeLessThanOrEqual(CANDIDATES_MAX);
      expect(names.slice(1)).not.toContain('');
    }),
  );
});
