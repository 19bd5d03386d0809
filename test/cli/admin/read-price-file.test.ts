/** Price files of others, converted to one form: USD per million tokens by class, context and input size. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPriceFile } from '../../../cli/admin/price-files/read-price-file.ts';

const read = (name: string) => {
  const { format, prices } = readPriceFile(
    JSON.parse(readFileSync(new URL(`price-files/${name}`, import.meta.url), 'utf8')),
    `folder/${name}`,
  );
  return { format, prices: prices.map(asText) };
};
const asText = ({
  provider,
  model,
  context,
  aboveInputTokens,
  rates,
}: ReturnType<typeof readPriceFile>['prices'][number]) =>
  `${provider} ${model} [${context}] >${aboveInputTokens}: ${rates
    .map((rate) => `${rate.class} ${rate.rate}`)
    .sort()
    .join(', ')}`;

describe('readPriceFile', () => {
  it('reads models.dev with tiers, in USD per million', () => {
    expect(read('models-dev.json')).toEqual({
      format: 'models.dev',
      prices: [
        'deepseek deepseek-v4-flash [] >0: cache_read 0.0028, input 0.14, output 0.28',
        'google gemini-2.5-pro [] >0: cache_read 0.125, input 1.25, output 10',
        'google gemini-2.5-pro [] >200000: cache_read 0.25, input 2.5, output 15',
      ],
    });
  });

  it('reads Portkey in cents per token; zeros and the default are not prices', () => {
    expect(read('deepseek.json')).toEqual({
      format: 'Portkey',
      prices: ['deepseek deepseek-v4-flash [] >0: cache_read 0.0028, input 0.14, output 0.28'],
    });
  });

  it('reads sizes from names of Portkey models, and batch prices', () => {
    const config = {
      pay_as_you_go: { request_token: { price: 0.00025 } },
      batch_config: { request_token: { price: 0.000125 } },
    };
    const { prices } = readPriceFile({ 'gemini-2.5-pro-gt-128k': { pricing_config: config } }, 'google.json');
    expect(prices.map(asText)).toEqual([
      'google gemini-2.5-pro [] >128000: input 2.5',
      'google gemini-2.5-pro [tier=batch] >128000: input 1.25',
    ]);
  });

  it('reads LiteLLM with sizes and service tiers', () => {
    expect(read('litellm.json')).toEqual({
      format: 'LiteLLM',
      prices: [
        'gemini gemini-3.1-pro-preview [] >0: cache_read 0.2, input 2, output 12',
        'gemini gemini-3.1-pro-preview [] >200000: cache_read 0.4, input 4, output 18',
        'gemini gemini-3.1-pro-preview [tier=batch] >0: input 1, output 6',
        'gemini gemini-3.1-pro-preview [tier=priority] >0: cache_read 0.36, input 3.6, output 21.6',
        'gemini gemini-3.1-pro-preview [tier=priority] >200000: cache_read 0.72, input 7.2, output 32.4',
      ],
    });
  });

  it('leaves out the example that documents the fields of LiteLLM', () => {
    const model = { litellm_provider: 'openai', input_cost_per_token: 1e-6 };
    const { prices } = readPriceFile({ sample_spec: model, 'gpt-5': model }, 'x.json');
    expect(prices.map(asText)).toEqual(['openai gpt-5 [] >0: input 1']);
  });

  it('strips the route from LiteLLM names', () => {
    const names = {
      'vertex_ai/claude-sonnet-4-5': 'vertex_ai-anthropic_models',
      'anthropic.claude-haiku-4-5-20251001-v1:0': 'bedrock_converse',
      'azure_ai/deepseek-r1': 'azure_ai',
      'openrouter/openai/gpt-4o': 'openrouter',
    };
    const rows = Object.entries(names).map(([name, litellm_provider]) => [
      name,
      { litellm_provider, input_cost_per_token: 1e-6 },
    ]);
    expect(readPriceFile(Object.fromEntries(rows), 'x.json').prices.map(({ model }) => model)).toEqual([
      'claude-sonnet-4-5',
      'anthropic.claude-haiku-4-5-20251001-v1:0',
      'deepseek-r1',
      'openai/gpt-4o',
    ]);
  });

  it('reads OpenRouter with sizes; hourly prices and prices of its router are left out', () => {
    expect(read('openrouter.json')).toEqual({
      format: 'OpenRouter',
      prices: [
        'openrouter openai/gpt-4o-mini [] >0: cache_read 0.075, input 0.15, output 0.6',
        'openrouter anthropic/claude-sonnet-4.5 [] >0: cache_creation 3.75, cache_read 0.3, input 3, output 15',
        'openrouter anthropic/claude-sonnet-4.5 [] >200000: input 6, output 22.5',
        'openrouter deepseek/deepseek-v4-pro [] >0: input 0.66, output 1.98',
      ],
    });
  });

  it.each([[{ utc_start: 0 }], [{ utc_days: ['Sun'] }], [{ min_prompt_tokens: undefined }]])(
    'leaves out prices of OpenRouter that do not depend on the size alone: %j',
    (more) => {
      const override = { min_prompt_tokens: 200_000, prompt: '0.000002', ...more };
      const pricing = { prompt: '0.000001', overrides: [override] };
      const { prices } = readPriceFile({ data: [{ id: 'acme/one', pricing }] }, 'x.json');
      expect(prices.map(asText)).toEqual(['openrouter acme/one [] >0: input 1']);
    },
  );

  it.each([[{}], [[]], [null], [{ data: [] }], [{ models: ['a'] }]])('refuses %j', (document) => {
    expect(() => readPriceFile(document, 'x.json')).toThrow('x.json is not a price file');
  });
});
