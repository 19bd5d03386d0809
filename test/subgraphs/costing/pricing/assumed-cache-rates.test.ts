/** Cached tokens of models whose card in the catalogue has no price for them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CataloguePrice, cataloguePrices, type PricedCall } from '../../../support/catalogue-price.ts';

let priceOf: (call: PricedCall) => CataloguePrice;
beforeAll(async () => {
  priceOf = await cataloguePrices();
});

const chat = (cached: number, more: object = {}) => ({
  prompt_tokens: 10_000,
  completion_tokens: 100,
  total_tokens: 10_100,
  prompt_tokens_details: { cached_tokens: cached, ...more },
});

describe('the cost of cached tokens is exact if the provider documents the price', () => {
  it.each<[string, PricedCall, string]>([
    // 2,000 at 3, 8,000 at 0.3, and 100 at 15.
    [
      'Claude at OpenRouter: a tenth of the input',
      { provider: 'openrouter', model: 'anthropic/claude-3.7-sonnet', usage: chat(8_000) },
      '0.0099',
    ],
    // 1,000 at 3, 8,000 at 0.3, 1,000 at 3.75, and 100 at 15.
    [
      'writes of Claude at OpenRouter: a quarter more than the input',
      {
        provider: 'openrouter',
        model: 'anthropic/claude-3.7-sonnet',
        usage: chat(8_000, { cache_write_tokens: 1_000 }),
      },
      '0.01065',
    ],
    // 10,000 at 0.35 and 100 at 0.75.
    ['Cerebras: as the input', { provider: 'cerebras', model: 'gpt-oss-120b', usage: chat(8_000) }, '0.003575'],
  ])('%s', (_title, call, cost) => {
    expect(priceOf(call)).toMatchObject({ cost, reading: 'openai-chat' });
  });
});

describe('cached tokens without a price are charged as input, and the cost is a guess', () => {
  it.each<[string, PricedCall]>([
    ['at a gateway', { provider: 'openrouter', model: 'deepseek/deepseek-r1', usage: chat(8_000) }],
    [
      'at a host of open models',
      { provider: 'together', model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo', usage: chat(8_000) },
    ],
    ['at the owner of the model', { provider: 'openai', model: 'gpt-5-pro', usage: chat(8_000) }],
  ])('%s', (_title, call) => {
    expect(priceOf(call)).toMatchObject({
      cost: expect.any(String),
      reading: 'guessed',
      why: expect.stringContaining('the catalogue has no price for cache_read'),
    });
    expect(priceOf({ ...call, usage: chat(0) })).toMatchObject({ reading: 'openai-chat' });
  });

  it('unless the gateway states the same cost', () => {
    const call = { provider: 'openrouter', model: 'deepseek/deepseek-r1' };
    const { cost } = priceOf({ ...call, usage: chat(8_000) });
    expect(priceOf({ ...call, usage: { ...chat(8_000), cost: Number(cost) } })).toMatchObject({
      reading: 'openai-chat',
    });
  });

  it('unless the model is free', () => {
    expect(priceOf({ provider: 'openrouter', model: 'deepseek/deepseek-r1:free', usage: chat(8_000) })).toMatchObject({
      cost: '0',
      reading: 'openai-chat',
    });
  });
});

it('cached audio costs as other cached tokens if the provider has one input price for all of them', () => {
  const usage = {
    promptTokenCount: 10_000,
    cachedContentTokenCount: 8_000,
    candidatesTokenCount: 100,
    totalTokenCount: 10_100,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 1_000 },
      { modality: 'AUDIO', tokenCount: 9_000 },
    ],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 8_000 }],
  };
  // 2,000 at 1.25, 8,000 at 0.125, and 100 at 10.
  expect(priceOf({ provider: 'google', model: 'gemini-2.5-pro', usage })).toMatchObject({
    cost: '0.0045',
    reading: 'gemini',
  });
});
