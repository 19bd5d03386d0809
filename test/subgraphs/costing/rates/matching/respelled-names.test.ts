/** Names of one model as gateways, their exports and vendors spell them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { respelledNames } from '#usage/names/respelled-names.ts';
import { type CataloguePrice, cataloguePrices, type PricedCall } from '../../../../support/catalogue-price.ts';

let priceOf: (call: PricedCall) => CataloguePrice;
beforeAll(async () => {
  priceOf = await cataloguePrices();
});

const usage = { prompt_tokens: 1_000_000, completion_tokens: 100_000, total_tokens: 1_100_000 };

describe('the price of a model by the names of its gateway', () => {
  // Prices in the model list of OpenRouter: input and a tenth of output, in USD per million tokens.
  it.each([
    ['openrouter', 'anthropic/claude-3-7-sonnet-20250219', '4.5'],
    ['openrouter', 'anthropic/claude-3-5-haiku', '1.2'],
    ['openrouter', 'anthropic/claude-4-opus-20250522', '22.5'],
    ['openrouter', 'anthropic/claude-4.1-opus-20250805', '22.5'],
    ['openrouter', 'anthropic/claude-4.7-opus-20260416', '7.5'],
    ['openrouter', 'anthropic/claude-4.6-opus-fast-20260407', '45'],
    ['openrouter', 'anthropic/claude-opus-4-1', '22.5'],
    ['openrouter', 'google/gemini-2-5-flash', '0.55'],
    ['openrouter', 'qwen/qwen3-32b-04-28', '0.13'],
    ['openrouter', 'mistralai/mistral-small-3.2-24b-instruct-2506', '0.095'],
    ['github-copilot', 'claude-opus-4-8', '7.5'],
    ['anthropic', 'claude-4.5-haiku-20251001', '1.5'],
    ['aws', 'anthropic.claude-3.7-sonnet-20250219-v1:0', '4.5'],
  ])('%s: %s', (provider, model, cost) => {
    expect(priceOf({ provider, model, usage })).toMatchObject({ cost, reading: 'openai-chat' });
  });

  it('a vision model is not the text model of the same name, although only its date differs', () => {
    const call = { provider: 'openrouter', usage };
    expect(priceOf({ ...call, model: 'z-ai/glm-4.6-20251208' })).toEqual(priceOf({ ...call, model: 'z-ai/glm-4.6v' }));
    expect(priceOf({ ...call, model: 'z-ai/glm-4.6-20251208' })).not.toEqual(
      priceOf({ ...call, model: 'z-ai/glm-4.6' }),
    );
  });

  it.each(['anthropic/claude-4.9-opus', 'anthropic/claude-3-7-opus', 'openai/gpt-4-9'])('%s waits', (model) => {
    expect(priceOf({ provider: 'openrouter', model, usage }).cost).toBeNull();
  });
});

it.each([
  'gpt-4o-2024-08-06',
  'gpt-4-1106-preview',
  'gpt-4-32k',
  'llama-3-70b',
  'text-embedding-3-large',
  'o4-mini-2025-04-16',
  'amazon.nova-lite-v1:0',
])('dates and sizes in %s keep their spelling', (model) => {
  expect(respelledNames(candidateNames(model))).toEqual([]);
});

it('names are tried after those that were sent', () => {
  const candidates = candidateNames('claude-4.5-sonnet');
  expect(respelledNames(candidates).map(({ name, rule }) => `${name}: ${rule}`)).toEqual([
    'claude-4-5-sonnet: as sent, in another spelling',
    'claude-sonnet-4.5: as sent, in another spelling',
    'claude-sonnet-4-5: as sent, in another spelling',
  ]);
});
