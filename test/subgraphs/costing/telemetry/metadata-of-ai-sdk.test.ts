/** What the AI SDK passes on of a response, by the names in its providers' documentation. */
import { expect, it } from 'vitest';
import {
  costOfMetadata,
  searchesOfMetadata,
  tierOfMetadata,
  usageOfMetadata,
} from '#usage/telemetry/ai-sdk-metadata.ts';

const COUNTS = { input: 100, output: 20, cacheRead: 8, isDetailed: false };
const CHAT = { prompt_tokens: 100, completion_tokens: 20 };
const NO_PARTS = {
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

it.each<[string, object, object | null]>([
  ['nothing', {}, null],
  [
    "Anthropic's usage",
    { anthropic: { usage: { input_tokens: 5, output_tokens: 30 } } },
    { input_tokens: 5, output_tokens: 30 },
  ],
  [
    'the first event of a stream',
    { anthropic: { usage: { input_tokens: 5, output_tokens: 1 } } },
    { input_tokens: 5, output_tokens: 20 },
  ],
  [
    'iterations',
    { anthropic: { usage: { input_tokens: 5, output_tokens: 1, iterations: [] } } },
    { input_tokens: 5, output_tokens: 1, iterations: [] },
  ],
  ["Google's usage", { google: { usageMetadata: { promptTokenCount: 5 } } }, { promptTokenCount: 5 }],
  ["Vertex AI's usage", { vertex: { usageMetadata: { promptTokenCount: 5 } } }, { promptTokenCount: 5 }],
  ['one token of input', { google: { usageMetadata: { promptTokenCount: 1 } } }, { promptTokenCount: 1 }],
  ['a usage without input', { google: { usageMetadata: { promptTokenCount: 0 } } }, null],
  [
    'cached tokens of OpenAI',
    { openai: { cachedPromptTokens: 4 } },
    { ...CHAT, ...NO_PARTS, prompt_tokens_details: { cached_tokens: 4 } },
  ],
  [
    'reasoning of OpenAI',
    { openai: { reasoningTokens: 4 } },
    { ...CHAT, ...NO_PARTS, completion_tokens_details: { reasoning_tokens: 4 } },
  ],
  ['no cached tokens of OpenAI', { openai: { cachedPromptTokens: 0 } }, { ...CHAT, ...NO_PARTS }],
  [
    'cached tokens of Azure',
    { azure: { cachedPromptTokens: 4 } },
    { ...CHAT, ...NO_PARTS, prompt_tokens_details: { cached_tokens: 4 } },
  ],
  ['hits of DeepSeek', { deepseek: { promptCacheHitTokens: 4 } }, { ...CHAT, prompt_cache_hit_tokens: 4 }],
  ['no hits of DeepSeek', { deepseek: { promptCacheHitTokens: 0 } }, { ...CHAT, prompt_cache_hit_tokens: 0 }],
  [
    'writes of Anthropic',
    { anthropic: { cacheCreationInputTokens: 4 } },
    { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 8, cache_creation_input_tokens: 4 },
  ],
  [
    'writes and reads of Anthropic',
    { anthropic: { cacheCreationInputTokens: 0, cacheReadInputTokens: 7 } },
    { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7, cache_creation_input_tokens: 0 },
  ],
  [
    'writes of Bedrock',
    { bedrock: { usage: { cacheWriteInputTokens: 4 } } },
    { inputTokens: 100, outputTokens: 20, cacheReadInputTokens: 8, cacheWriteInputTokens: 4 },
  ],
  [
    'reads of Bedrock',
    { bedrock: { usage: { cacheReadInputTokens: 6 } } },
    { inputTokens: 100, outputTokens: 20, cacheReadInputTokens: 6, cacheWriteInputTokens: 0 },
  ],
])('the usage of %s', (_, metadata, usage) => {
  expect(usageOfMetadata(metadata as Record<string, unknown>, COUNTS)).toEqual(usage);
});

it.each([
  ['no input', { input: null }],
  ['details', { isDetailed: true }],
])('parts add nothing to counts with %s', (_, more) => {
  const parts = { openai: { cachedPromptTokens: 4 }, bedrock: { usage: { cacheReadInputTokens: 6 } } };
  expect(usageOfMetadata(parts, { ...COUNTS, ...more })).toBeNull();
  const own = { anthropic: { usage: { input_tokens: 5, output_tokens: 30 } } };
  expect(usageOfMetadata(own, { ...COUNTS, ...more })).toEqual({ input_tokens: 5, output_tokens: 30 });
});

it('cache reads without a count of their own are zero', () => {
  const metadata = { anthropic: { cacheCreationInputTokens: 4 } };
  expect(usageOfMetadata(metadata, { ...COUNTS, cacheRead: null })).toMatchObject({ cache_read_input_tokens: 0 });
  const ofBedrock = { bedrock: { usage: { cacheWriteInputTokens: 4 } } };
  expect(usageOfMetadata(ofBedrock, { ...COUNTS, cacheRead: null })).toMatchObject({ cacheReadInputTokens: 0 });
});

it.each<[object, string | null]>([
  [{ openai: { serviceTier: 'flex' } }, 'flex'],
  [{ azure: { serviceTier: 'flex' } }, 'flex'],
  [{ azure: { serviceTier: 'flex' }, openai: { serviceTier: 'default' } }, 'default'],
  [{ anthropic: { serviceTier: 'flex' } }, null],
  [{ openai: { serviceTier: 1 } }, null],
])('the tier of %j', (metadata, tier) => {
  expect(tierOfMetadata(metadata as Record<string, unknown>)).toBe(tier);
});

it.each<[object, string | null]>([
  [{ openrouter: { usage: { cost: 0.5 } } }, '0.5'],
  [{ gateway: { cost: '0.25' } }, '0.25'],
  [{ gateway: { cost: 0.25 }, openrouter: { usage: { cost: 0 } } }, '0'],
  [{ gateway: { cost: null } }, null],
  [{}, null],
])('the cost of %j', (metadata, cost) => {
  expect(costOfMetadata(metadata as Record<string, unknown>)).toBe(cost);
});

it.each<[object, number | null]>([
  [{ perplexity: { usage: { numSearchQueries: 3 } } }, 3],
  [{ perplexity: { usage: {} } }, null],
])('the searches of %j', (metadata, searches) => {
  expect(searchesOfMetadata(metadata as Record<string, unknown>)).toBe(searches);
});
