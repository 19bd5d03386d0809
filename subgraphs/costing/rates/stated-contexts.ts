/** Prices in pricing contexts other than batches, per model. Entered by hand, to be reviewed by a person (rules in `stated-rates.ts`). */
import type { IsoSpan } from '#kernel/time/iso-span.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { GOVERNMENT_CONTEXT } from '#usage/names/government-cloud.ts';

type Price = { readonly rate: string } | { readonly factor: string };

/** `from` and `until` are set if the provider began or ceased to offer the context. */
export interface StatedContext extends IsoSpan {
  readonly provider: string;
  /** Slugs of catalogue cards. */
  readonly models: readonly string[];
  readonly context: string;
  readonly prices: Readonly<Partial<Record<TokenClass | 'all', Price>>>;
  /** Named unit prices, in USD per unit. */
  readonly units?: Readonly<Record<string, Price>>;
  readonly source: string;
  /** Day on which the source was read or published. */
  readonly date: string;
  /** Pricing of a call that still requests the context after `until`. Absent: unknown, so the event waits. */
  readonly afterwards?: 'standard';
}

export const HALF = { factor: '0.5' };
export const PLAIN_HALF = { input: HALF, output: HALF, inputAudio: HALF };

/** Opus 4.6 and later Claude models support `inference_geo`. */
const CLAUDE_WITH_GEO = names(
  'claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6',
  'claude-sonnet-5 claude-fable-5 claude-fable-5-1',
);
export const GPT_5 = names('gpt-5 gpt-5-mini gpt-5-nano gpt-5.1 gpt-5.2 gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.5');
export const GPT_5_6 = names('gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna');
export const GEMINI = names(
  'gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-3-pro-preview gemini-3-flash-preview',
  'gemini-3.1-pro-preview gemini-3.5-flash',
);

const FLEX_GUIDE = 'developers.openai.com/api/docs/guides/flex-processing: tokens at Batch API rates';
const PRIORITY_PAGE = 'openai.com/api-priority-processing';
const GEMINI_PAGE = 'ai.google.dev/gemini-api/docs/optimization';

const priority = (model: string, input: string, cacheRead: string, output: string): StatedContext => ({
  provider: 'openai',
  models: [model],
  context: 'tier=priority',
  prices: { input: { rate: input }, cacheRead: { rate: cacheRead }, output: { rate: output } },
  source: PRIORITY_PAGE,
  date: '2026-11-22',
});

const search = (models: string, size: string, fee: string): StatedContext => ({
  provider: 'perplexity',
  models: names(models),
  context: `search=${size}`,
  prices: {},
  units: { requests: { rate: fee } },
  source: 'docs.perplexity.ai/getting-started/pricing: request fee by search context size',
  date: '2026-11-22',
});
const SONAR = 'sonar sonar-reasoning';
const SONAR_PRO = 'sonar-pro sonar-reasoning-pro';

/** Input and output in GovCloud; cache reads at a tenth of the input, writes at 1.25 and 2 times. */
const govCloud = (
  models: string,
  input: string,
  cacheRead: string,
  cacheCreation: string,
  cacheCreation1h: string,
  output: string,
): StatedContext => ({
  provider: 'aws',
  models: names(models),
  context: GOVERNMENT_CONTEXT,
  prices: {
    input: { rate: input },
    cacheRead: { rate: cacheRead },
    cacheCreation: { rate: cacheCreation },
    cacheCreation1h: { rate: cacheCreation1h },
    output: { rate: output },
  },
  source: 'aws.amazon.com/bedrock/pricing: GovCloud at 1.2 times the global price, as BerriAI/litellm states it (MIT)',
  date: '2026-11-27',
});

export const STATED_CONTEXTS: readonly StatedContext[] = [
  govCloud('regional.anthropic.claude-haiku-4-5-20251001-v1:0', '1.2', '0.12', '1.5', '2.4', '6'),
  govCloud('regional.anthropic.claude-sonnet-5-v1:0', '2.4', '0.24', '3', '4.8', '12'),
  govCloud(
    [
      'regional.anthropic.claude-3-5-sonnet-20240620-v1:0 regional.anthropic.claude-3-7-sonnet-20250219-v1:0',
      'regional.anthropic.claude-sonnet-4-5-20250929-v1:0 regional.anthropic.claude-sonnet-4-6-v1:0',
    ].join(' '),
    '3.6',
    '0.36',
    '4.5',
    '7.2',
    '18',
  ),
  govCloud(
    [
      'regional.anthropic.claude-opus-4-5-v1:0 regional.anthropic.claude-opus-4-6-v1:0',
      'regional.anthropic.claude-opus-4-7-v1:0 regional.anthropic.claude-opus-4-8-v1:0',
    ].join(' '),
    '6',
    '0.6',
    '7.5',
    '12',
    '30',
  ),
  {
    provider: 'anthropic',
    models: CLAUDE_WITH_GEO,
    context: 'geo=us',
    prices: { all: { factor: '1.1' } },
    source: 'platform.claude.com/docs/en/about-claude/pricing: data residency',
    date: '2026-11-22',
  },
  {
    provider: 'anthropic',
    models: ['claude-opus-4-6'],
    context: 'speed=fast',
    prices: { all: { factor: '6' } },
    until: '2026-06-29',
    afterwards: 'standard',
    source: 'platform.claude.com/docs/en/build-with-claude/fast-mode: 6x, stacks with other modifiers',
    date: '2026-04-07',
  },
  {
    provider: 'anthropic',
    models: ['claude-opus-4-7'],
    context: 'speed=fast',
    prices: { all: { factor: '6' } },
    until: '2026-07-24',
    source: 'openrouter.ai/anthropic/claude-opus-4.7-fast: 30 and 150 USD; code.claude.com/docs/en/fast-mode: removed',
    date: '2026-11-26',
  },
  {
    provider: 'anthropic',
    models: ['claude-opus-4-8'],
    context: 'speed=fast',
    prices: { all: { factor: '2' } },
    until: '2026-11-30',
    source: 'openrouter.ai/anthropic/claude-opus-4.8-fast: 2x of Opus 4.8; code.claude.com/docs/en/fast-mode: removed',
    date: '2026-11-26',
  },
  {
    provider: 'anthropic',
    models: ['claude-opus-5'],
    context: 'speed=fast',
    prices: { all: { factor: '2' } },
    source: 'openrouter.ai/anthropic/claude-opus-5-fast: 10 and 50 USD, 2x of Opus 5',
    date: '2026-07-24',
  },
  // No cached rate is published for batches of these models: cached tokens keep the standard rate.
  {
    provider: 'openai',
    models: GPT_5,
    context: 'tier=flex',
    prices: { all: HALF },
    source: FLEX_GUIDE,
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: GPT_5_6,
    context: 'tier=flex',
    prices: { all: HALF },
    source: FLEX_GUIDE,
    date: '2026-08-28',
  },
  {
    provider: 'openai',
    models: ['o3', 'o4-mini'],
    context: 'tier=flex',
    prices: { all: HALF },
    source: FLEX_GUIDE,
    date: '2026-11-22',
  },
  priority('gpt-5.5', '12.5', '1.25', '75'),
  priority('gpt-5.4', '5', '0.5', '30'),
  priority('gpt-5.4-mini', '1.5', '0.15', '9'),
  priority('gpt-5.2', '3.5', '0.35', '28'),
  priority('gpt-5.1', '2.5', '0.25', '20'),
  priority('gpt-5', '2.5', '0.25', '20'),
  priority('gpt-5-mini', '0.45', '0.045', '3.6'),
  priority('gpt-4.1', '3.5', '0.875', '14'),
  priority('gpt-4.1-mini', '0.7', '0.175', '2.8'),
  priority('gpt-4.1-nano', '0.2', '0.05', '0.8'),
  priority('gpt-4o', '4.25', '2.125', '17'),
  priority('gpt-4o-2024-08-06', '4.25', '2.125', '17'),
  priority('gpt-4o-mini', '0.25', '0.125', '1'),
  priority('o3', '3.5', '0.875', '14'),
  priority('o4-mini', '2', '0.5', '8'),
  {
    provider: 'google',
    models: GEMINI,
    context: 'tier=flex',
    prices: PLAIN_HALF,
    source: `${GEMINI_PAGE}: 50 %`,
    date: '2026-11-22',
  },
  {
    provider: 'google',
    models: ['gemini-2.5-flash-preview'],
    context: 'thinking=on',
    prices: { output: { rate: '3.5' } },
    source: 'ai.google.dev/gemini-api/docs/pricing, April 2025: output of thinking calls; openrouter.ai: :thinking',
    date: '2026-11-30',
  },
  search(SONAR, 'low', '0.005'),
  search(SONAR, 'medium', '0.008'),
  search(SONAR, 'high', '0.012'),
  search(SONAR_PRO, 'low', '0.006'),
  search(SONAR_PRO, 'medium', '0.01'),
  search(SONAR_PRO, 'high', '0.014'),
];

/** Splits lists of slugs at blanks. */
export function names(...lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(' '));
}
