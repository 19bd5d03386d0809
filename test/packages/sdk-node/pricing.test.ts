/**
 * The events of each provider's responses are priced as the provider bills them; expected costs are computed by hand
 * from the catalogue's rates.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { get, graphql, settle } from '../../support/api-client.ts';
import { type MeteredBooks, meteredBooks } from '../../support/metered-books.ts';
import { CHAT_USAGE, GEMINI_USAGE, MESSAGES_USAGE, RESPONSES_USAGE } from '../../support/provider-stand-in.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';

let service: RunningService;
let books: MeteredBooks;

beforeAll(async () => {
  service = await sharedService();
  books = meteredBooks(service);
});
afterAll(async () => {
  await books.close();
  await service.stop();
});

const chat = { id: 'chatcmpl-1', object: 'chat.completion', choices: [] };
const anthropic = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };

/**
 * Tokens by class, each counted once: plain input, output, cache read, 5m write, 1h write. Rates are read from the
 * service.
 */
test.each([
  [
    'openai chat',
    { ...chat, model: 'gpt-4o', usage: CHAT_USAGE },
    { input: 2006 - 1920, cacheRead: 1920, output: 300 },
  ],
  [
    'openai responses',
    { id: 'resp_1', object: 'response', model: 'gpt-5-mini', status: 'completed', usage: RESPONSES_USAGE },
    { input: 1200 - 1024, cacheRead: 1024, output: 420 },
  ],
  [
    'anthropic',
    { ...anthropic, model: 'claude-sonnet-4-5', usage: MESSAGES_USAGE },
    { input: 21, cacheRead: 2048, cacheCreation: 88, cacheCreation1h: 100, output: 393 },
  ],
  [
    'gemini',
    { candidates: [], modelVersion: 'gemini-2.5-flash', responseId: 'gem1', usageMetadata: GEMINI_USAGE },
    { input: 700 - 512, cacheRead: 512, output: 120 + 200 },
  ],
  [
    'deepseek',
    {
      ...chat,
      id: 'd1',
      model: 'deepseek-v4-flash',
      usage: {
        prompt_tokens: 339,
        completion_tokens: 83,
        total_tokens: 422,
        prompt_tokens_details: { cached_tokens: 320 },
        prompt_cache_hit_tokens: 320,
        prompt_cache_miss_tokens: 19,
      },
    },
    { input: 19, cacheRead: 320, output: 83 },
  ],
  [
    'xai',
    {
      ...chat,
      id: 'x1',
      model: 'grok-3-mini',
      usage: {
        prompt_tokens: 291,
        completion_tokens: 26,
        total_tokens: 513,
        prompt_tokens_details: { cached_tokens: 290 },
        completion_tokens_details: { reasoning_tokens: 196 },
      },
    },
    { input: 1, cacheRead: 290, output: 26 + 196 },
  ],
  [
    'embeddings',
    { object: 'list', data: [], model: 'text-embedding-3-small', usage: { prompt_tokens: 12, total_tokens: 12 } },
    { input: 12, output: 0 },
  ],
  [
    'ai sdk, raw',
    {
      text: '',
      usage: { inputTokens: 2257, outputTokens: 393, raw: MESSAGES_USAGE },
      response: { id: 'msg_2', modelId: 'claude-sonnet-4-5' },
    },
    { input: 21, cacheRead: 2048, cacheCreation: 88, cacheCreation1h: 100, output: 393 },
  ],
  [
    'ai sdk, flat',
    {
      text: '',
      usage: { inputTokens: 2006, outputTokens: 300, totalTokens: 2306, cachedInputTokens: 1920, reasoningTokens: 64 },
      response: { id: 'chatcmpl-2', modelId: 'gpt-4o' },
    },
    { input: 86, cacheRead: 1920, output: 300 },
  ],
  [
    'bedrock',
    {
      output: {},
      usage: {
        inputTokens: 21,
        outputTokens: 393,
        totalTokens: 2462,
        cacheReadInputTokens: 2048,
        cacheWriteInputTokens: 0,
      },
      $metadata: { requestId: 'b1' },
    },
    { input: 21, cacheRead: 2048, output: 393, dearer: 1.1 },
  ],
])(
  'the service prices the tokens that the library counted: %s',
  async (name, response, tokens: Record<string, number>) => {
    const userId = `priced-${name}`;
    const more = name === 'bedrock' ? { model: 'anthropic.claude-sonnet-4-5-20250929-v1:0' } : {};
    // An hour without peak or off-peak prices.
    books.track(response, { userId, invokedAt: new Date('2026-11-20T20:00:00Z'), ...more });
    const [event] = await books.accepted();
    await settle(service.url, service.firstRun.operator_token);
    const path = `/end-user-costs/${encodeURIComponent(userId)}/by-model?start_date=2020-01-01&end_date=2100-01-01`;
    const { body } = await get(service.url, path, service.firstRun.live_read_key);
    const [priced] = body.models;
    expect(body.models).toHaveLength(1);
    expect(priced).toMatchObject({ event_count: 1 });
    const { body: table } = await get(service.url, '/rate-cards/estimation-table', service.firstRun.live_read_key);
    const rate = ratesOf(table.items, event!.model);
    const expected =
      (tokens['input'] ?? 0) * rate.input +
      (tokens['output'] ?? 0) * rate.output +
      (tokens['cacheRead'] ?? 0) * rate.cacheRead +
      (tokens['cacheCreation'] ?? 0) * rate.cacheCreation +
      (tokens['cacheCreation1h'] ?? 0) * rate.input * 2;
    expect(Number(priced.total_cost)).toBeCloseTo((expected * (tokens['dearer'] ?? 1)) / 1e6, 10);
  },
);

/** OpenAI: 10 USD per 1,000 searches, opening a page is free. Gemini 3: 14 USD per 1,000 different queries. */
test.each([
  [
    'searches of OpenAI',
    {
      id: 'resp_searches',
      object: 'response',
      model: 'gpt-5-mini',
      output: ['search', 'search', 'open_page'].map((type) => ({ type: 'web_search_call', action: { type } })),
      usage: { input_tokens: 18_000, output_tokens: 900, total_tokens: 18_900 },
    },
    '0.0263',
  ],
  [
    'queries of Gemini',
    {
      responseId: 'gem-queries',
      modelVersion: 'gemini-3-flash-preview',
      candidates: [{ groundingMetadata: { webSearchQueries: ['tin', 'zinc', 'tin'] } }],
      usageMetadata: {
        promptTokenCount: 1200,
        candidatesTokenCount: 300,
        thoughtsTokenCount: 100,
        totalTokenCount: 1600,
      },
    },
    '0.0298',
  ],
])('the service prices the tools that the library counted: %s', async (userId, response, cost) => {
  books.track(response, { userId, invokedAt: new Date('2026-11-20T20:00:00Z') });
  await books.accepted();
  await settle(service.url, service.firstRun.operator_token);
  const path = `/end-user-costs/${encodeURIComponent(userId)}/by-model?start_date=2020-01-01&end_date=2100-01-01`;
  const { body } = await get(service.url, path, service.firstRun.live_read_key);
  expect(body.total_cost).toBe(cost);
});

test('no event was guessed', async () => {
  const query = '{ window(start: "2020-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z") { guessedEvents } }';
  const { body } = await graphql(service.url, service.firstRun.live_read_key, query);
  expect(body.data?.window.guessedEvents ?? body).toBe(0);
});

function ratesOf(items: any[], model: string) {
  const plain = model.replace(/^anthropic\./, '');
  const found = items
    .filter(({ model_slug: slug }) => plain.startsWith(slug))
    .sort((one, other) => other.model_slug.length - one.model_slug.length)[0];
  const rate = (name: string) => Number(found[`${name}_cost_per_million`] ?? 0);
  return {
    input: rate('input'),
    output: rate('output'),
    cacheRead: rate('cache_read'),
    cacheCreation: rate('cache_creation'),
  };
}
