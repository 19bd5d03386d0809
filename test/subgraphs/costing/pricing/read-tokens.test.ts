/** The meaning of an event's token counts: inclusive or exclusive, and the names under which they are found. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { approximate } from '#kernel/money.ts';
import { readTokens } from '#usage/counts/read-tokens.ts';
import type { UsageTokens } from '#usage/counts/reported-counts.ts';

/** Text tokens only; non-text tokens have tests of their own. */
const quantitiesOf = (usage: UsageTokens) =>
  Object.fromEntries(
    Object.entries(readTokens(usage).quantities)
      .filter(([name]) => !/Audio|Image|Video/.test(name))
      .map(([name, count]) => [name, approximate(count)]),
  );

describe('names', () => {
  const found = (metadata: Record<string, unknown>, top: Partial<UsageTokens> = {}) =>
    readTokens({ inputTokens: 100, outputTokens: 100, ...top, metadata }).counts;

  test.each<[string, Record<string, unknown>, object]>([
    [
      'documented keys',
      { cache_read_input_tokens: 1, cache_creation_input_tokens: 2, reasoning_tokens: 3 },
      { cacheRead: 1, cacheCreation: 2, reasoning: 3 },
    ],
    [
      'OpenTelemetry',
      { 'gen_ai.usage.cache_read.input_tokens': 1, 'gen_ai.usage.cache_creation.input_tokens': 2 },
      { cacheRead: 1, cacheCreation: 2, reasoning: null },
    ],
    [
      'OpenAI chat',
      { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 5 } },
      { cacheRead: 4, cacheCreation: null, reasoning: 5 },
    ],
    [
      'OpenAI responses',
      {
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 6 },
        output_tokens_details: { reasoning_tokens: 5 },
      },
      { cacheRead: 4, cacheCreation: 6, reasoning: 5 },
    ],
    [
      'Google',
      { cachedContentTokenCount: 7, thoughtsTokenCount: 8 },
      { cacheRead: 7, cacheCreation: null, reasoning: 8 },
    ],
    [
      'Anthropic breakdown alone',
      { cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 1 } },
      { cacheRead: null, cacheCreation: 10, reasoning: null },
    ],
    ['nothing reported is null', {}, { cacheRead: null, cacheCreation: null, reasoning: null }],
    ['a reported 0 is 0', { cache_read_input_tokens: 0 }, { cacheRead: 0, cacheCreation: null, reasoning: null }],
    [
      'impossible counts are absent',
      { cache_read_input_tokens: -1, cache_creation_input_tokens: 1.5, reasoning_tokens: '3' },
      { cacheRead: null, cacheCreation: null, reasoning: null },
    ],
    [
      'inherited properties are absent',
      { prompt_tokens_details: 'text', constructor: 1 },
      { cacheRead: null, cacheCreation: null, reasoning: null },
    ],
  ])('of counts are read: %s', (_name, metadata, counts) => {
    expect(found(metadata)).toEqual({ input: 100, output: 100, ...counts });
  });

  test('the top level takes precedence over metadata', () => {
    expect(found({ cache_read_input_tokens: 1 }, { cacheReadInputTokens: 2 })).toMatchObject({ cacheRead: 2 });
    expect(found({ cache_read_input_tokens: 1 }, { cacheReadInputTokens: null })).toMatchObject({ cacheRead: 1 });
    const all = { cache_read_input_tokens: 1, cache_creation_input_tokens: 2, reasoning_tokens: 3 };
    const zeros = { cacheReadInputTokens: 0, cacheCreationInputTokens: 0, reasoningTokens: 0 };
    expect(found(all, zeros)).toMatchObject({ cacheRead: 0, cacheCreation: 0, reasoning: 0 });
  });
});

describe('reading', () => {
  test('counts are totals', () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 100,
      metadata: { cache_read_input_tokens: 300, cache_creation_input_tokens: 200, reasoning_tokens: 40 },
    };
    expect(quantitiesOf(usage)).toEqual({
      input: 500,
      output: 60,
      cacheCreation: 200,
      cacheCreation1h: 0,
      cacheRead: 300,
      reasoning: 40,
    });
    expect(readTokens(usage).input).toEqual({ reading: 'inclusive', why: 'counts are totals unless proved otherwise' });
  });

  test('parts larger than their count prove that it excludes them, separately for input and output', () => {
    const usage = {
      inputTokens: 3,
      outputTokens: 50,
      metadata: { cache_creation_input_tokens: 418, cache_read_input_tokens: 1111, reasoning_tokens: 20 },
    };
    expect(quantitiesOf(usage)).toEqual({
      input: 3,
      output: 30,
      cacheCreation: 418,
      cacheCreation1h: 0,
      cacheRead: 1111,
      reasoning: 20,
    });
    const reading = readTokens(usage);
    expect([reading.input.reading, reading.output.reading, approximate(reading.totalInput)]).toEqual([
      'exclusive',
      'inclusive',
      1532,
    ]);
    expect(reading.counts).toEqual({ input: 3, output: 50, cacheRead: 1111, cacheCreation: 418, reasoning: 20 });
  });

  test('the total decides between possible readings', () => {
    const metadata = { reasoning_tokens: 20, total_tokens: 170 };
    expect(readTokens({ inputTokens: 100, outputTokens: 50, metadata }).output).toEqual({
      reading: 'exclusive',
      why: 'the only reading that adds up to the total sent',
    });
    expect(readTokens({ inputTokens: 120, outputTokens: 50, metadata }).output.reading).toBe('inclusive');
  });

  test('a total that matches two readings, or none, decides nothing', () => {
    const two = { cache_read_input_tokens: 20, reasoning_tokens: 20, total_tokens: 170 };
    const none = { cache_read_input_tokens: 20, total_tokens: 999 };
    for (const metadata of [two, none]) {
      const { input, output } = readTokens({ inputTokens: 100, outputTokens: 50, metadata });
      expect([input.reading, output.reading]).toEqual(['inclusive', 'inclusive']);
    }
  });

  test('Google’s tool-use prompt is input besides the prompt, unless the total shows that it was included', () => {
    const metadata = { toolUsePromptTokenCount: 286, thoughtsTokenCount: 131 };
    expect(
      quantitiesOf({ inputTokens: 209, outputTokens: 206, metadata: { ...metadata, totalTokenCount: 832 } }),
    ).toMatchObject({ input: 495, output: 206, reasoning: 131 });
    expect(
      quantitiesOf({ inputTokens: 495, outputTokens: 337, metadata: { ...metadata, totalTokenCount: 832 } }),
    ).toMatchObject({ input: 495, output: 206, reasoning: 131 });
    expect(quantitiesOf({ inputTokens: 209, outputTokens: 206, metadata })).toMatchObject({ input: 495, output: 206 });
  });

  test('one-hour writes are subtracted from the writes', () => {
    const metadata = {
      cache_creation_input_tokens: 150,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 50 },
    };
    expect(quantitiesOf({ inputTokens: 1000, outputTokens: 0, metadata })).toMatchObject({
      input: 1000,
      cacheCreation: 100,
      cacheCreation1h: 50,
    });
  });
});

test('every token is priced once, and no class is negative', () => {
  const count = fc.option(fc.nat(2000), { nil: undefined });
  fc.assert(
    fc.property(
      fc.nat(2000),
      fc.nat(2000),
      count,
      count,
      count,
      count,
      count,
      count,
      (inputTokens, outputTokens, read, created, hour, reasoning, tool, total) => {
        const metadata = {
          cache_read_input_tokens: read,
          cache_creation_input_tokens: created,
          reasoning_tokens: reasoning,
          cache_creation: { ephemeral_1h_input_tokens: hour },
          toolUsePromptTokenCount: tool,
          total_tokens: total,
        };
        const reading = readTokens({ inputTokens, outputTokens, metadata });
        const { input, output, cacheCreation, cacheCreation1h, cacheRead, reasoning: thought } = reading.quantities;
        const all = [input, output, cacheCreation, cacheCreation1h, cacheRead, thought];
        expect(all.every((quantity) => quantity.gte(0))).toBe(true);
        expect(input.plus(cacheRead).plus(cacheCreation).plus(cacheCreation1h).eq(reading.totalInput)).toBe(true);
        expect(output.plus(thought).eq(reading.totalOutput)).toBe(true);
        const parts = (reading.counts.cacheRead ?? 0) + (reading.counts.cacheCreation ?? 0);
        const sent = inputTokens + (reading.input.reading === 'exclusive' ? parts : 0);
        const isProved = approximate(reading.totalInput.plus(reading.totalOutput)) === total;
        // The input may contain what was read from the cache, but not what was written to it: if a total proves it, or
        // if there is no room for both.
        const hasOnlyReads = (reading.counts.cacheRead ?? 0) <= inputTokens && parts > inputTokens;
        const possible = [
          sent,
          ...(isProved || hasOnlyReads ? [inputTokens + (reading.counts.cacheCreation ?? 0)] : []),
        ];
        const withTools = possible.map((one) => one + (tool ?? 0));
        expect([...possible, ...withTools]).toContain(approximate(reading.totalInput));
      },
    ),
  );
});

test('an input large enough only for the tokens read from the cache does not contain those written to it', () => {
  // A LiteLLM response of Bedrock: 6 new tokens, 30,940 read and 460 written.
  const providerUsage = {
    prompt_tokens: 30_946,
    completion_tokens: 102,
    total_tokens: 31_048,
    prompt_tokens_details: { cached_tokens: 30_940, cache_creation_tokens: 460 },
  };
  const reading = readTokens({ inputTokens: 30_946, outputTokens: 102, provider: 'aws', providerUsage });
  expect(reading.name).toBe('guessed');
  const { input, cacheRead, cacheCreation } = reading.quantities;
  expect([input, cacheRead, cacheCreation].map(approximate)).toEqual([6, 30_940, 460]);
});

test('cached tokens are read under the names of Inspect AI', () => {
  const providerUsage = {
    input_tokens: 10,
    output_tokens: 5,
    input_tokens_cache_read: 200,
    input_tokens_cache_write: 30,
  };
  const { counts } = readTokens({ inputTokens: 10, outputTokens: 5, provider: 'anthropic', providerUsage });
  expect([counts.cacheRead, counts.cacheCreation]).toEqual([200, 30]);
});

describe('more audio than the totals contain', () => {
  const nameOf = (usage: Record<string, unknown>) =>
    readTokens({ inputTokens: 1000, outputTokens: 100, provider: 'openai', providerUsage: usage }).name;
  const chat = { prompt_tokens: 1000, completion_tokens: 100 };

  test.each<[string, Record<string, unknown>, string]>([
    ['fits', { prompt_tokens_details: { audio_tokens: 1000 } }, 'openai-chat'],
    ['all input is audio, but more', { prompt_tokens_details: { audio_tokens: 1001 } }, 'guessed'],
    ['of the output', { completion_tokens_details: { audio_tokens: 100 } }, 'openai-chat'],
    ['more than the output', { completion_tokens_details: { audio_tokens: 101 } }, 'guessed'],
    // Cached audio and cached text have different prices.
    ['unknown if cached', { prompt_tokens_details: { audio_tokens: 900, cached_tokens: 800 } }, 'guessed'],
    ['not cached', { prompt_tokens_details: { audio_tokens: 200, cached_tokens: 800 } }, 'openai-chat'],
    [
      'known if cached',
      {
        prompt_tokens_details: { audio_tokens: 900, cached_tokens: 800, cached_tokens_details: { audio_tokens: 800 } },
      },
      'openai-chat',
    ],
    // Models with a price of their own for images count the cached ones.
    ['cached images', { prompt_tokens_details: { image_tokens: 900, cached_tokens: 800 } }, 'openai-chat'],
    ['more images', { prompt_tokens_details: { image_tokens: 1001 } }, 'guessed'],
  ])('%s', (_, details, name) => {
    expect(nameOf({ ...chat, ...details })).toBe(name);
  });
});
