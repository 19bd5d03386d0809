/**
 * Prices that the catalogue has wrong or cannot express. Each row applies to its period and wins over the catalogue.
 * Remove a row when an import reports it as unnecessary. To be reviewed by a person.
 */
import type { CorrectedContext, PriceCorrection } from './correct-drafts.ts';

const DEEPSEEK_PAGE = 'api-docs.deepseek.com/quick_start/pricing';
const DEEPSEEK_UPDATES = 'api-docs.deepseek.com/updates';

/** Peak hours cost twice as much: 9:00 to 12:00 and 14:00 to 18:00 in Beijing. */
const PEAK_ON_WEEKDAYS: readonly CorrectedContext[] = ['0900-1200', '1400-1800'].map((hours) => ({
  context: `hours=mon-fri_${hours}@Asia/Shanghai`,
  class: 'all',
  factor: '2',
}));
const DEEPSEEK_V4 = ['deepseek-v4-flash', 'deepseek-v4-pro'];
/** Days in Beijing, the last one exclusive. Chinese public holidays are off-peak all day, as are weekends. */
const CHINESE_HOLIDAYS: readonly (readonly [from: string, until: string])[] = [
  ['2026-09-25', '2026-09-28'],
  ['2026-10-01', '2026-10-08'],
];
const midnightInBeijing = (day: string) => new Date(Date.parse(`${day}T00:00:00+08:00`)).toISOString();

const GROK_PAGE = 'docs.x.ai/docs/models: higher context pricing, as BerriAI/litellm states it (MIT)';

/** Sonnet with a context of one million tokens: the whole call costs more if its input is larger. */
const longContext = (provider: string, models: readonly string[], rates: typeof LONG): PriceCorrection => ({
  provider,
  models,
  tiers: [{ aboveInputTokens: 200_000, ...rates }],
  source: 'docs.claude.com/en/docs/about-claude/pricing: long context pricing; on Bedrock and Vertex AI as well',
  date: '2026-11-29',
});
const LONG = { input: '6', output: '22.5', cacheRead: '0.6', cacheCreation: '7.5', cacheCreation1h: '12' };
const LONG_IN_REGIONS = {
  input: '6.6',
  output: '24.75',
  cacheRead: '0.66',
  cacheCreation: '8.25',
  cacheCreation1h: '13.2',
};

/** Priority processing of a long context: twice the priority rates of input, 1.5 times that of output. */
const longPriority = (model: string, rates: Readonly<Record<string, string>>): PriceCorrection => ({
  provider: 'openai',
  models: [model],
  contexts: Object.entries(rates).map(([name, rate]) => ({
    context: 'tier=priority',
    class: name,
    aboveInputTokens: 272_000,
    rate,
  })),
  source: 'BerriAI/litellm (MIT): input_cost_per_token_above_272k_tokens_priority',
  date: '2026-11-30',
});

export const PRICE_CORRECTIONS: readonly PriceCorrection[] = [
  // The catalogue has the higher price from 272,000 input tokens on.
  {
    provider: 'openai',
    models: [
      'gpt-5.4',
      'gpt-5.4-pro',
      'gpt-5.5',
      'gpt-5.5-pro',
      'gpt-5.6-luna',
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-6-astra',
    ],
    tierStart: { from: 271_999, to: 272_000 },
    source: 'developers.openai.com/api/docs/models/gpt-5.5 and those of the other models: more than 272K input tokens',
    date: '2026-11-29',
  },
  {
    provider: 'aws',
    models: ['global', 'regional'].flatMap((profile) =>
      ['luna', 'sol', 'terra'].map((model) => `${profile}.openai.gpt-5.6-${model}`),
    ),
    tierStart: { from: 271_999, to: 272_000 },
    source: 'aws.amazon.com/bedrock/pricing: more than 272K input tokens, as pydantic/genai-prices states it (MIT)',
    date: '2026-11-30',
  },
  longPriority('gpt-5.4', { input: '10', cacheRead: '1', output: '45' }),
  longPriority('gpt-5.5', { input: '25', cacheRead: '2.5', output: '112.5' }),
  longContext('anthropic', ['claude-sonnet-4-0'], LONG),
  longContext('google', ['claude-4-sonnet'], LONG),
  longContext(
    'aws',
    [
      'regional.anthropic.claude-sonnet-4-20250514-v1:0',
      'global.anthropic.claude-sonnet-4-20250514-v1:0',
      'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    LONG,
  ),
  longContext('aws', ['regional.anthropic.claude-sonnet-4-5-20250929-v1:0'], LONG_IN_REGIONS),
  {
    provider: 'openrouter',
    models: ['openrouter/anthropic/claude-sonnet-4'],
    tiers: [{ aboveInputTokens: 200_000, ...LONG }],
    source:
      'openrouter.ai/anthropic/claude-sonnet-4, as Helicone/helicone states it (Apache-2.0): as Anthropic charges',
    date: '2026-11-30',
  },
  {
    provider: 'google',
    models: ['claude-opus-4-6'],
    from: '2026-03-13',
    tiers: [],
    source: 'claude.com/blog/1m-context-ga: one price for any context, on the Claude Platform, Bedrock and Vertex AI',
    date: '2026-11-30',
  },
  // The catalogue has prices of Vertex AI for characters, of which a token has four.
  {
    provider: 'google',
    models: ['gemini-pro', 'gemini-1.0-pro-vision-001'],
    rates: { input: '0.5', output: '1.5' },
    source: 'ai.google.dev/pricing: Gemini 1.0 Pro',
    date: '2026-11-30',
  },
  {
    provider: 'azure',
    models: ['phi-4'],
    rates: { input: '0.125', output: '0.5' },
    source: 'azure.microsoft.com/pricing/details/phi-3, as BerriAI/litellm states it (MIT)',
    date: '2026-11-30',
  },
  {
    provider: 'openai',
    models: ['gpt-4o'],
    until: '2024-10-02',
    rates: { input: '5', output: '15' },
    source: 'openai.com/api/pricing: until then the name meant gpt-4o-2024-05-13',
    date: '2026-11-27',
  },
  {
    provider: 'openai',
    models: ['gpt-3.5-turbo'],
    until: '2024-02-16',
    rates: { input: '1.5', output: '2' },
    source: 'platform.openai.com/docs/deprecations: until then the name meant gpt-3.5-turbo-0613',
    date: '2026-11-30',
  },
  {
    provider: 'openai',
    models: ['o3'],
    until: '2025-06-10',
    rates: { cacheRead: '2.5' },
    source: 'openai.com/api/pricing, before the price of o3 fell by 80 %',
    date: '2026-11-27',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-chat'],
    until: '2025-02-08T16:00:00Z',
    rates: { input: '0.14', output: '0.28', cacheRead: '0.014' },
    dropContexts: ['hours'],
    source: `${DEEPSEEK_PAGE}: discount of the launch of V3`,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-chat'],
    from: '2025-02-08T16:00:00Z',
    until: '2025-02-26T16:30:00Z',
    rates: { input: '0.27', output: '1.1', cacheRead: '0.07' },
    dropContexts: ['hours'],
    source: `${DEEPSEEK_PAGE}: V3 before off-peak hours`,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-reasoner'],
    until: '2025-02-26T16:30:00Z',
    rates: { input: '0.55', output: '2.19', cacheRead: '0.14' },
    dropContexts: ['hours'],
    source: `${DEEPSEEK_PAGE}: R1 before off-peak hours`,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-chat', 'deepseek-reasoner'],
    from: '2025-09-05T16:00:00Z',
    until: '2025-09-29',
    rates: { input: '0.56', output: '1.68', cacheRead: '0.07' },
    dropContexts: ['hours'],
    source: `${DEEPSEEK_UPDATES}: V3.1`,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-chat', 'deepseek-reasoner'],
    from: '2025-09-29',
    rates: { input: '0.28', output: '0.42', cacheRead: '0.028' },
    dropContexts: ['hours'],
    source: `${DEEPSEEK_UPDATES}: V3.2-Exp and V3.2`,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-v4-flash'],
    until: '2026-04-26T12:15:00Z',
    rates: { cacheRead: '0.028' },
    source: `${DEEPSEEK_PAGE}: cache hits before they fell to a tenth`,
    date: '2026-11-26',
  },
  // The catalogue starts these prices at midnight UTC, eight hours too late.
  {
    provider: 'deepseek',
    models: ['deepseek-v4-flash'],
    from: '2026-08-16T16:00:00Z',
    until: '2026-08-17',
    rates: { input: '0.22', output: '0.66', cacheRead: '0.007' },
    source: DEEPSEEK_PAGE,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: ['deepseek-v4-pro'],
    from: '2026-08-16T16:00:00Z',
    until: '2026-08-17',
    rates: { input: '0.66', output: '1.98', cacheRead: '0.022' },
    source: DEEPSEEK_PAGE,
    date: '2026-11-26',
  },
  {
    provider: 'deepseek',
    models: DEEPSEEK_V4,
    from: midnightInBeijing('2026-08-23'),
    dropContexts: ['hours'],
    contexts: PEAK_ON_WEEKDAYS,
    source: `${DEEPSEEK_PAGE}: peak hours on weekdays only`,
    date: '2026-11-26',
  },
  ...CHINESE_HOLIDAYS.map(([from, until]): PriceCorrection => ({
    provider: 'deepseek',
    models: DEEPSEEK_V4,
    from: midnightInBeijing(from),
    until: midnightInBeijing(until),
    dropContexts: ['hours'],
    source: 'api-docs.deepseek.com/zh-cn/quick_start/pricing: public holidays are off-peak',
    date: '2026-11-26',
  })),
  {
    provider: 'deepseek',
    models: ['deepseek-v4-flash'],
    from: '2026-09-10',
    rates: { input: '0.15', output: '0.6', cacheRead: '0.003' },
    source: `${DEEPSEEK_PAGE}: V4.1 Flash serves this name`,
    date: '2026-11-26',
  },
  {
    provider: 'anthropic',
    models: ['claude-3-5-haiku-latest'],
    until: '2024-12-03',
    rates: { input: '1', output: '5', cacheRead: '0.1', cacheCreation: '1.25' },
    source: 'anthropic.com/news/3-5-models-and-computer-use: prices before the update of 2024-12-03',
    date: '2026-11-30',
  },
  {
    provider: 'google',
    models: ['gemini-1.5-flash'],
    until: '2024-08-12',
    rates: { input: '0.35', output: '1.05', cacheRead: '0.0875' },
    tiers: [{ aboveInputTokens: 128_000, input: '0.7', output: '2.1', cacheRead: '0.175' }],
    source: 'developers.googleblog.com: lower prices of Gemini 1.5 Flash from 2024-08-12',
    date: '2026-11-30',
  },
  {
    provider: 'google',
    models: ['gemini-1.5-pro'],
    until: '2024-10-01',
    rates: { input: '3.5', output: '10.5', cacheRead: '0.875' },
    tiers: [{ aboveInputTokens: 128_000, input: '7', output: '21', cacheRead: '1.75' }],
    source: 'developers.googleblog.com: lower prices of Gemini 1.5 Pro from 2024-10-01',
    date: '2026-11-30',
  },
  {
    provider: 'google',
    models: ['gemini-3.6-flash'],
    until: '2026-08-13',
    rates: { input: '1.5', output: '7.5', cacheRead: '0.15' },
    source: 'ai.google.dev/gemini-api/docs/pricing, before the introductory rates',
    date: '2026-11-26',
  },
  {
    provider: 'x-ai',
    models: ['grok-4-0709'],
    tiers: [{ aboveInputTokens: 128_000, input: '6', output: '30' }],
    source: GROK_PAGE,
    date: '2026-11-26',
  },
  {
    provider: 'x-ai',
    models: [
      'grok-4-fast-reasoning',
      'grok-4-fast-non-reasoning',
      'grok-4-1-fast-reasoning',
      'grok-4-1-fast-non-reasoning',
    ],
    tiers: [{ aboveInputTokens: 128_000, input: '0.4', output: '1' }],
    source: GROK_PAGE,
    date: '2026-11-26',
  },
];
