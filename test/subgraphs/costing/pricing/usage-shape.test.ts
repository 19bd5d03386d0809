/** A provider's own usage object is read by that provider's convention, at any position in an event. */
import { describe, expect, test } from 'vitest';
import { approximate } from '#kernel/money.ts';
import { readTokens } from '#usage/counts/read-tokens.ts';
import type { UsageTokens } from '#usage/counts/reported-counts.ts';
import { REPORTED_COUNT_KEYS } from '#usage/counts/reported-counts.ts';
import { USAGE_KEYS } from '#usage/counts/provider-usage.ts';

const MESSAGES = {
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 50 },
  cache_creation_input_tokens: 150,
  cache_read_input_tokens: 500,
  server_tool_use: { web_search_requests: 1 },
  service_tier: 'standard',
};

interface Example {
  readonly usage: Partial<UsageTokens> & Pick<UsageTokens, 'inputTokens' | 'outputTokens'>;
  readonly reads: string;
  readonly quantities: Record<string, number>;
}

const EXAMPLES: Record<string, Example> = {
  'Anthropic, spread at the top level': {
    usage: { inputTokens: 1_500, outputTokens: 10, providerUsage: MESSAGES, cacheReadInputTokens: 500 },
    reads: 'anthropic-messages',
    quantities: { input: 1_500, cacheRead: 500, cacheCreation: 100, cacheCreation1h: 50 },
  },
  'Anthropic, in metadata': {
    usage: { inputTokens: 1_500, outputTokens: 10, metadata: MESSAGES },
    reads: 'anthropic-messages',
    quantities: { input: 1_500, cacheRead: 500, cacheCreation: 100, cacheCreation1h: 50 },
  },
  'Anthropic, in metadata.usage, with totals that the sender added up': {
    usage: { inputTokens: 2_150, outputTokens: 10, metadata: { usage: { ...MESSAGES, input_tokens: 1_500 } } },
    reads: 'anthropic-messages',
    quantities: { input: 1_500, cacheRead: 500, cacheCreation: 100, cacheCreation1h: 50 },
  },
  'Anthropic, known only by its provider': {
    usage: { inputTokens: 1_000, outputTokens: 100, provider: 'anthropic', cacheReadInputTokens: 900 },
    reads: 'guessed',
    quantities: { input: 1_000, cacheRead: 900, output: 100 },
  },
  'Claude without a provider': {
    usage: { inputTokens: 1_000, outputTokens: 100, model: 'claude-sonnet-4-5', cacheReadInputTokens: 900 },
    reads: 'guessed',
    quantities: { input: 100, cacheRead: 900 },
  },
  'Anthropic, with a total that proves the convention': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'anthropic',
      cacheReadInputTokens: 900,
      metadata: { total_tokens: 1_100 },
    },
    reads: 'normalized',
    quantities: { input: 100, cacheRead: 900 },
  },
  'Anthropic through an SDK that speaks OpenAI': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'anthropic',
      metadata: {
        usage: { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 900 } },
      },
    },
    reads: 'openai-chat',
    quantities: { input: 100, cacheRead: 900 },
  },
  Bedrock: {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'bedrock',
      metadata: {
        usage: { inputTokens: 1_000, outputTokens: 100, cacheReadInputTokens: 900, cacheWriteInputTokens: 0 },
      },
    },
    reads: 'bedrock-converse',
    quantities: { input: 1_000, cacheRead: 900 },
  },
  'OpenAI chat, spread': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      providerUsage: {
        prompt_tokens: 1_000,
        completion_tokens: 100,
        total_tokens: 1_100,
        prompt_tokens_details: { cached_tokens: 900 },
        completion_tokens_details: { reasoning_tokens: 60 },
      },
    },
    reads: 'openai-chat',
    quantities: { input: 100, cacheRead: 900, output: 40, reasoning: 60 },
  },
  'OpenAI responses, as `usage`': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      providerUsage: {
        usage: { input_tokens_details: { cached_tokens: 900 }, output_tokens_details: { reasoning_tokens: 60 } },
      },
    },
    reads: 'openai-responses',
    quantities: { input: 100, cacheRead: 900, output: 40, reasoning: 60 },
  },
  'Bedrock: writes to a cache of an hour, by lifetime': {
    usage: {
      inputTokens: 3,
      outputTokens: 288,
      provider: 'bedrock',
      providerUsage: {
        usage: {
          inputTokens: 3,
          outputTokens: 288,
          totalTokens: 2_365,
          cacheReadInputTokens: 0,
          cacheWriteInputTokens: 2_074,
          cacheDetails: [
            { ttl: '1h', inputTokens: 2_000 },
            { ttl: '5m', inputTokens: 74 },
          ],
        },
      },
    },
    reads: 'bedrock-converse',
    quantities: { input: 3, cacheRead: 0, cacheCreation: 74, cacheCreation1h: 2_000 },
  },
  'LiteLLM: writes to a cache of an hour, in its details': {
    usage: {
      inputTokens: 5_427,
      outputTokens: 10,
      provider: 'anthropic',
      metadata: {
        usage: {
          prompt_tokens: 5_427,
          completion_tokens: 10,
          total_tokens: 5_437,
          cache_creation_input_tokens: 5_424,
          prompt_tokens_details: {
            cached_tokens: 0,
            cache_creation_token_details: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5_424 },
          },
        },
      },
    },
    reads: 'openai-chat',
    quantities: { input: 3, cacheCreation: 0, cacheCreation1h: 5_424 },
  },
  'Gemini’s Live API: its speech has names of its own': {
    usage: {
      inputTokens: 522,
      outputTokens: 42,
      provider: 'google',
      metadata: {
        usageMetadata: {
          promptTokenCount: 522,
          responseTokenCount: 42,
          totalTokenCount: 564,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 332 },
            { modality: 'AUDIO', tokenCount: 165 },
          ],
          responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 42 }],
          thoughtsTokenCount: 136,
        },
      },
    },
    reads: 'gemini',
    quantities: { input: 357, inputAudio: 165, output: 0, outputAudio: 42, reasoning: 136 },
  },
  'Gemini’s embeddings: a list of another name': {
    usage: {
      inputTokens: 9,
      outputTokens: 0,
      metadata: {
        usageMetadata: { promptTokenCount: 9, promptTokenDetails: [{ modality: 'AUDIO', tokenCount: 9 }] },
      },
    },
    reads: 'gemini',
    quantities: { input: 0, inputAudio: 9 },
  },
  'Gemini’s SDK of Python: what its tools brought': {
    usage: {
      inputTokens: 100,
      outputTokens: 10,
      metadata: {
        usage_metadata: {
          prompt_token_count: 100,
          candidates_token_count: 10,
          tool_use_prompt_token_count: 50,
          tool_use_prompt_tokens_details: [{ modality: 'IMAGE', token_count: 50 }],
          total_token_count: 160,
        },
      },
    },
    reads: 'gemini',
    quantities: { input: 100, inputImage: 50 },
  },
  'a total that counts what nothing else does, as in Gemini’s endpoint for OpenAI’s SDK': {
    usage: {
      inputTokens: 100,
      outputTokens: 10,
      provider: 'google',
      providerUsage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 900 },
    },
    reads: 'guessed',
    quantities: { input: 100, output: 10 },
  },
  'counts that differ from the provider’s object': {
    usage: {
      inputTokens: 1,
      outputTokens: 1,
      metadata: { usage: { prompt_tokens: 1_000, completion_tokens: 100 } },
    },
    reads: 'guessed',
    quantities: { input: 1, output: 1 },
  },
  'Gemini: thoughts come on top': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'google',
      metadata: { usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, thoughtsTokenCount: 60 } },
    },
    reads: 'gemini',
    quantities: { output: 100, reasoning: 60 },
  },
  'Gemini, where the sender added the thoughts': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 160,
      metadata: { usageMetadata: { candidatesTokenCount: 100, thoughtsTokenCount: 60 } },
    },
    reads: 'gemini',
    quantities: { output: 100, reasoning: 60 },
  },
  'xAI: reasoning is on top': {
    usage: {
      inputTokens: 12,
      outputTokens: 125,
      provider: 'xai',
      metadata: {
        usage: { prompt_tokens: 12, completion_tokens: 125, completion_tokens_details: { reasoning_tokens: 100 } },
      },
    },
    reads: 'xai-chat',
    quantities: { output: 125, reasoning: 100 },
  },
  'DeepSeek: hits lie inside': {
    usage: {
      inputTokens: 976,
      outputTokens: 61,
      provider: 'deepseek',
      providerUsage: { prompt_cache_hit_tokens: 896, prompt_cache_miss_tokens: 80 },
    },
    reads: 'deepseek-chat',
    quantities: { input: 80, cacheRead: 896 },
  },
  'Perplexity: its total leaves reasoning out': {
    usage: {
      inputTokens: 25,
      outputTokens: 4_000,
      provider: 'perplexity',
      metadata: {
        usage: { prompt_tokens: 25, completion_tokens: 4_000, total_tokens: 4_025, reasoning_tokens: 3_000 },
      },
    },
    reads: 'perplexity-chat',
    quantities: { output: 4_000, reasoning: 3_000 },
  },
  'the Vercel AI SDK': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      metadata: { usage: { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 900, reasoningTokens: 60 } },
    },
    reads: 'ai-sdk',
    quantities: { input: 100, cacheRead: 900, output: 40, reasoning: 60 },
  },
  OpenTelemetry: {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'anthropic',
      metadata: { 'gen_ai.usage.cache_read.input_tokens': 600, 'gen_ai.usage.cache_write.input_tokens': 300 },
    },
    reads: 'opentelemetry',
    quantities: { input: 100, cacheRead: 600, cacheCreation: 300 },
  },
  OpenInference: {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      metadata: { 'llm.token_count.prompt_details.cache_read': 900 },
    },
    reads: 'openinference',
    quantities: { input: 100, cacheRead: 900 },
  },
  'raw counts that are not those of the event': {
    usage: { inputTokens: 777, outputTokens: 10, metadata: { usage: { ...MESSAGES, input_tokens: 1_500 } } },
    reads: 'guessed',
    quantities: { input: 777, cacheRead: 500 },
  },
  'DeepSeek with a search, in a name of Anthropic': {
    usage: {
      inputTokens: 10_000,
      outputTokens: 100,
      provider: 'deepseek',
      model: 'deepseek-v4-flash',
      cacheReadInputTokens: 8_000,
      providerUsage: { usage: { server_tool_use: { web_search_requests: 1 } } },
    },
    reads: 'normalized',
    quantities: { input: 2_000, cacheRead: 8_000 },
  },
  'Moonshot with a region, in a name of Anthropic': {
    usage: {
      inputTokens: 10_000,
      outputTokens: 100,
      provider: 'moonshotai',
      model: 'kimi-k2.5',
      cacheReadInputTokens: 8_000,
      providerUsage: { inference_geo: 'us' },
    },
    reads: 'normalized',
    quantities: { input: 2_000, cacheRead: 8_000 },
  },
  'Nova with a region, in a name of Anthropic': {
    usage: {
      inputTokens: 10_000,
      outputTokens: 100,
      provider: 'bedrock',
      model: 'amazon.nova-lite-v1:0',
      cacheReadInputTokens: 8_000,
      providerUsage: { inference_geo: 'us' },
    },
    reads: 'guessed',
    quantities: { input: 10_000, cacheRead: 8_000 },
  },
  'Anthropic’s own object from DeepSeek': {
    usage: {
      inputTokens: 2_000,
      outputTokens: 100,
      provider: 'deepseek',
      model: 'deepseek-v4-flash',
      providerUsage: { usage: { ...MESSAGES, input_tokens: 2_000 } },
    },
    reads: 'anthropic-messages',
    quantities: { input: 2_000, cacheRead: 500 },
  },
  'OpenAI chat with more cached tokens than input': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 50,
      providerUsage: {
        usage: {
          prompt_tokens: 1_000,
          completion_tokens: 50,
          total_tokens: 1_050,
          prompt_tokens_details: { cached_tokens: 5_000 },
        },
      },
    },
    reads: 'guessed',
    quantities: { input: 1_000, cacheRead: 5_000, output: 50 },
  },
  'Gemini next to counts of zero': {
    usage: {
      inputTokens: 0,
      outputTokens: 0,
      provider: 'google',
      model: 'gemini-3.6-flash',
      providerUsage: {
        usageMetadata: {
          promptTokenCount: 100_000,
          cachedContentTokenCount: 80_000,
          candidatesTokenCount: 10_000,
          totalTokenCount: 110_000,
        },
      },
    },
    reads: 'gemini',
    quantities: { input: 20_000, cacheRead: 80_000, output: 10_000 },
  },
  'OpenAI chat without a total, next to counts of zero': {
    usage: {
      inputTokens: 0,
      outputTokens: 0,
      providerUsage: {
        prompt_tokens: 1_000,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 400 },
      },
    },
    reads: 'guessed',
    quantities: { input: 600, cacheRead: 400, output: 50 },
  },
  'documented names of OpenAI': {
    usage: {
      inputTokens: 1_000,
      outputTokens: 100,
      provider: 'openai',
      cacheReadInputTokens: 900,
      reasoningTokens: 60,
    },
    reads: 'normalized',
    quantities: { input: 100, cacheRead: 900, output: 40, reasoning: 60 },
  },
  'documented names of xAI': {
    usage: { inputTokens: 12, outputTokens: 125, provider: 'xai', reasoningTokens: 100 },
    reads: 'guessed',
    quantities: { output: 25, reasoning: 100 },
  },
  'nothing but two counts': {
    usage: { inputTokens: 12, outputTokens: 125, provider: 'anthropic' },
    reads: 'normalized',
    quantities: { input: 12, output: 125 },
  },
};

describe('the reading of', () => {
  test.each(Object.entries(EXAMPLES))('%s', (_name, { usage, reads, quantities }) => {
    const reading = readTokens(usage);
    const counts = Object.entries(reading.quantities).map(([name, count]) => [name, approximate(count)] as const);
    expect(reading.name).toBe(reads);
    expect(Object.fromEntries(counts)).toMatchObject(quantities);
  });
});

test('any top-level field that a price depends on is kept', () => {
  const documented = ['cache_read_input_tokens', 'cache_creation_input_tokens', 'reasoning_tokens'];
  expect(REPORTED_COUNT_KEYS.filter((key) => !USAGE_KEYS.has(key) && !documented.includes(key))).toEqual([]);
});
