/** Counts that are parts of other counts, and how an event shows it: by its total, by lifetime, or by modality. */
import { describe, expect, it } from 'vitest';
import { approximate } from '#kernel/money.ts';
import { readTokens } from '#usage/counts/read-tokens.ts';
import type { UsageTokens } from '#usage/counts/reported-counts.ts';

/** The classes with tokens, as numbers. */
function classesOf(usage: UsageTokens): Record<string, number> {
  const counts = Object.entries(readTokens(usage).quantities).map(
    ([name, count]) => [name, approximate(count)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

it('a total proves that the input contains tokens read from a cache, and not those written to it', () => {
  const metadata = { cache_read_input_tokens: 40, cache_creation_input_tokens: 25, total_tokens: 135 };
  const usage = { inputTokens: 100, outputTokens: 10, metadata };
  expect(classesOf(usage)).toEqual({ input: 60, cacheRead: 40, cacheCreation: 25, output: 10 });
  expect(readTokens(usage).name).not.toBe('guessed');
  // The input cannot contain more than was sent: the parts come on top, and the total explains nothing.
  const larger = { ...usage, metadata: { ...metadata, cache_read_input_tokens: 200 } };
  expect(classesOf(larger)).toEqual({ input: 100, cacheRead: 200, cacheCreation: 25, output: 10 });
});

it('cache writes are read by lifetime if their sum is stated as 0', () => {
  const details = { cache_creation: 0, ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 1 };
  const usage = { inputTokens: 100, outputTokens: 10, metadata: { input_token_details: details } };
  expect(classesOf(usage)).toEqual({ input: 90, cacheCreation: 9, cacheCreation1h: 1, output: 10 });
});

describe('tokens other than text', () => {
  it('count once if the usage object is sent twice', () => {
    const details = { prompt_tokens_details: { audio_tokens: 30 }, completion_tokens_details: { audio_tokens: 4 } };
    const sent = { prompt_tokens: 100, completion_tokens: 10, ...details };
    const usage = { inputTokens: 100, outputTokens: 10, providerUsage: sent, metadata: { usage: sent } };
    expect(classesOf(usage)).toEqual({ input: 70, inputAudio: 30, output: 6, outputAudio: 4 });
  });

  it('tokens other than text of each modality are input only if they were not cached', () => {
    const list = (audio: number, image: number, video: number) => [
      { modality: 'AUDIO', tokenCount: audio },
      { modality: 'IMAGE', tokenCount: image },
      { modality: 'VIDEO', tokenCount: video },
    ];
    const usageMetadata = {
      promptTokenCount: 1000,
      candidatesTokenCount: 10,
      totalTokenCount: 1010,
      cachedContentTokenCount: 60,
      promptTokensDetails: list(100, 200, 300),
      cacheTokensDetails: list(10, 20, 30),
    };
    const usage = { inputTokens: 1000, outputTokens: 10, provider: 'google', providerUsage: { usageMetadata } };
    expect(classesOf(usage)).toEqual({
      ...{ input: 400, inputAudio: 90, inputImage: 180, inputVideo: 270, output: 10 },
      ...{ cacheRead: 30, cacheReadAudio: 10, cacheReadImage: 20 },
    });
  });

  it('are in doubt if their cached part exceeds all tokens read from the cache', () => {
    const nameOf = (audio: number) =>
      readTokens({
        ...{ inputTokens: 1000, outputTokens: 100, provider: 'openai' },
        providerUsage: {
          ...{ prompt_tokens: 1000, completion_tokens: 100 },
          prompt_tokens_details: { cached_tokens: 100, cached_tokens_details: { audio_tokens: audio } },
        },
      }).name;
    expect([nameOf(100), nameOf(101)]).toEqual(['openai-chat', 'guessed']);
  });
});
