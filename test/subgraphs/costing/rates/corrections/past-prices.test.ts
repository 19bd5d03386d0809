/** Prices of calls before a provider lowered them, which the catalogue does not date. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CataloguePrice, cataloguePrices, type PricedCall } from '../../../../support/catalogue-price.ts';

let priceOf: (call: PricedCall) => CataloguePrice;
beforeAll(async () => {
  priceOf = await cataloguePrices();
});

const chat = { prompt_tokens: 10_000, completion_tokens: 1_000, total_tokens: 11_000 };
const gemini = (promptTokenCount: number, more: object = {}) => ({
  promptTokenCount,
  candidatesTokenCount: 1_000,
  totalTokenCount: promptTokenCount + 1_000,
  ...more,
});

describe('a name costs what it cost at the time of the call', () => {
  it.each<[string, string, PricedCall['usage'], string, string]>([
    // 10,000 at 1.5 and 1,000 at 2; then at 0.5 and 1.5.
    ['openai', 'gpt-3.5-turbo', chat, '2024-02-15T12:00:00Z', '0.017'],
    ['openai', 'gpt-3.5-turbo', chat, '2024-02-16T12:00:00Z', '0.0065'],
    ['openai', 'gpt-3.5-turbo-0125', chat, '2024-02-01T12:00:00Z', '0.0065'],
    // 10,000 at 1 and 1,000 at 5; then at 0.8 and 4.
    ['anthropic', 'claude-3-5-haiku-20241022', { input_tokens: 10_000, output_tokens: 1_000 }, '2024-12-02', '0.015'],
    ['anthropic', 'claude-3-5-haiku-20241022', { input_tokens: 10_000, output_tokens: 1_000 }, '2024-12-04', '0.012'],
    // 10,000 at 0.35 and 1,000 at 1.05; then at 0.075 and 0.3.
    ['google', 'gemini-1.5-flash', gemini(10_000), '2024-08-11', '0.00455'],
    ['google', 'gemini-1.5-flash', gemini(10_000), '2024-08-13', '0.00105'],
    // 200,000 at 0.7 and 1,000 at 2.1.
    ['google', 'gemini-1.5-flash-001', gemini(200_000), '2024-08-11', '0.1421'],
    // 10,000 at 3.5 and 1,000 at 10.5; then at 1.25 and 5.
    ['google', 'gemini-1.5-pro', gemini(10_000), '2024-09-30', '0.0455'],
    ['google', 'gemini-1.5-pro', gemini(10_000), '2024-10-02', '0.0175'],
    // 2,000 at 3.5, 8,000 cached at 0.875 and 1,000 at 10.5.
    ['google', 'gemini-1.5-pro', gemini(10_000, { cachedContentTokenCount: 8_000 }), '2024-09-30', '0.0245'],
  ])('%s %s, %o at %s', (provider, model, usage, at, cost) => {
    expect(priceOf({ provider, model, usage, at })).toMatchObject({ cost });
  });
});

describe('the previews of Gemini 2.5 Flash cost more for the output of calls that thought', () => {
  const at = '2025-06-01T12:00:00Z';
  const thoughts = { thoughtsTokenCount: 500, totalTokenCount: 11_500 };
  it.each<[string, string, PricedCall['usage'], string]>([
    // 10,000 at 0.15 and 1,500 at 3.5.
    ['google', 'gemini-2.5-flash-preview-05-20', gemini(10_000, thoughts), '0.00675'],
    ['google', 'models/gemini-2.5-flash-preview-04-17', gemini(10_000, thoughts), '0.00675'],
    // 10,000 at 0.15 and 1,000 at 0.6.
    ['google', 'gemini-2.5-flash-preview-05-20', gemini(10_000), '0.0021'],
    // 10,000 at 0.3 and 1,500 at 2.5: the later model has one price.
    ['google', 'gemini-2.5-flash', gemini(10_000, thoughts), '0.00675'],
    // 10,000 at 0.15 and 1,000 at 3.5.
    ['openrouter', 'google/gemini-2.5-flash-preview-05-20:thinking', chat, '0.005'],
  ])('%s %s, %o', (provider, model, usage, cost) => {
    expect(priceOf({ provider, model, usage, at })).toMatchObject({
      cost,
      reading: expect.not.stringMatching('guessed'),
    });
  });
});
