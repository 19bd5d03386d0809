/** Reporting more never makes a call cheaper: a class of tokens, a fee, a surcharge. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, quantity, ZERO } from '#kernel/money.ts';
import { priceUsage, type PriceableUsage } from '../../../../subgraphs/costing/pricing/price-usage.ts';
import { NO_RATES, type RateCardVersion } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { byRate } from '#schema/token-classes.ts';

/** A price list like those of vendors: a cached token costs less than a fresh one, everything else at least as much. */
const CARD: RateCardVersion = {
  rates: {
    ...NO_RATES,
    ...byRate(() => money('10')),
    input: money('2'),
    output: money('8'),
    cacheRead: money('0.2'),
    cacheReadAudio: money('0.4'),
    cacheReadImage: money('0.4'),
    cacheCreation: money('2.5'),
    cacheCreation1h: money('4'),
    reasoning: money('8'),
  },
  tiers: [],
  unitPrices: { web_searches: money('0.01') },
  perUnit: null,
  perUnitName: null,
  variants: [
    { context: 'tier=priority', class: 'all', aboveInputTokens: 0, rate: null, factor: quantity('2'), source: 'test' },
    { context: 'geo=*', class: 'all', aboveInputTokens: 0, rate: null, factor: quantity('1.1'), source: 'test' },
    { context: 'speed=fast', class: 'all', aboveInputTokens: 0, rate: null, factor: quantity('2'), source: 'test' },
  ],
};

const event = (usage: object, more: Partial<PriceableUsage> = {}): PriceableUsage => ({
  inputTokens: 20_000,
  outputTokens: 5_000,
  cacheReadInputTokens: null,
  cacheCreationInputTokens: null,
  reasoningTokens: null,
  costOverride: null,
  units: null,
  metadata: null,
  providerUsage: { usage },
  provider: null,
  model: 'model',
  eventTimeMs: 0,
  ...more,
});

const costOf = (usage: object, more: Partial<PriceableUsage> = {}) => {
  const price = priceUsage(event(usage, more), { version: CARD, providerSlug: 'openai' });
  return price.kind === 'priced' ? price.priced.total : ZERO;
};

const count = fc.integer({ min: 0, max: 4_000 });
const COUNTS = { prompt_tokens: 20_000, completion_tokens: 5_000, total_tokens: 25_000 };
const MESSAGES = {
  input_tokens: 20_000,
  output_tokens: 5_000,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Each entry reports the same call with one additional item. */
const MORE: Readonly<Record<string, (count: number) => readonly [object, object]>> = {
  'cached tokens on top of the input': (n) => [MESSAGES, { ...MESSAGES, cache_read_input_tokens: n }],
  'cache writes on top of the input': (n) => [MESSAGES, { ...MESSAGES, cache_creation_input_tokens: n }],
  'cache writes within the input': (n) => [COUNTS, { ...COUNTS, prompt_tokens_details: { cache_creation_tokens: n } }],
  'writes for an hour': (n) => [
    { ...MESSAGES, cache_creation_input_tokens: 4_000 },
    {
      ...MESSAGES,
      cache_creation_input_tokens: 4_000,
      cache_creation: { ephemeral_1h_input_tokens: n, ephemeral_5m_input_tokens: 4_000 - n },
    },
  ],
  'thoughts on top of the output': (n) => [
    { promptTokenCount: 20_000, candidatesTokenCount: 5_000 },
    { promptTokenCount: 20_000, candidatesTokenCount: 5_000, thoughtsTokenCount: n },
  ],
  'what tools brought': (n) => [
    { promptTokenCount: 20_000, candidatesTokenCount: 5_000 },
    { promptTokenCount: 20_000, candidatesTokenCount: 5_000, toolUsePromptTokenCount: n },
  ],
  'audio within the input': (n) => [COUNTS, { ...COUNTS, prompt_tokens_details: { audio_tokens: n } }],
  "LangChain's audio": (n) => [
    { input_tokens: 20_000, output_tokens: 5_000, output_token_details: { reasoning: 1 } },
    { input_tokens: 20_000, output_tokens: 5_000, output_token_details: { reasoning: 1, audio: n } },
  ],
  'reasoning within the output': (n) => [COUNTS, { ...COUNTS, completion_tokens_details: { reasoning_tokens: n } }],
  searches: (n) => [MESSAGES, { ...MESSAGES, server_tool_use: { web_search_requests: n } }],
  'a tier with a surcharge': () => [COUNTS, { ...COUNTS, service_tier: 'priority' }],
  'a region with a surcharge': () => [COUNTS, { ...COUNTS, inference_geo: 'eu' }],
  'a speed with a surcharge': () => [MESSAGES, { ...MESSAGES, speed: 'fast' }],
  'a region on top of a speed': () => [
    { ...MESSAGES, speed: 'fast' },
    { ...MESSAGES, speed: 'fast', inference_geo: 'us' },
  ],
  'a tool call of a kind without a price': (n) => [
    COUNTS,
    { ...COUNTS, server_side_tool_usage_details: { code_interpreter_calls: n } },
  ],
  'cache writes as Pydantic AI counts them': (n) => [
    { input_tokens: 20_000, output_tokens: 5_000, cache_read_tokens: 0, cache_write_tokens: 0 },
    { input_tokens: 20_000, output_tokens: 5_000, cache_read_tokens: 0, cache_write_tokens: n },
  ],
  'thoughts of a Gemini interaction': (n) => [
    { total_input_tokens: 20_000, total_output_tokens: 5_000, total_thought_tokens: 0 },
    { total_input_tokens: 20_000, total_output_tokens: 5_000, total_thought_tokens: n },
  ],
  'a count under an unknown name': (n) => [COUNTS, { ...COUNTS, replayed_tokens: n }],
  'a compaction': (n) => [
    MESSAGES,
    { ...MESSAGES, iterations: [{ type: 'compaction', input_tokens: n, output_tokens: n }] },
  ],
  'an advisor': (n) => [
    MESSAGES,
    { ...MESSAGES, iterations: [{ type: 'advisor_message', input_tokens: n, output_tokens: n }] },
  ],
};

it.each(Object.entries(MORE))('more of anything never costs less: %s', (_what, make) => {
  fc.assert(
    fc.property(count, (n) => {
      const [one, more] = make(n);
      expect(costOf(more).gte(costOf(one))).toBe(true);
    }),
  );
});
