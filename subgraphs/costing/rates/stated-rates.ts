/**
 * What providers charge in pricing contexts, and for classes that the catalogue leaves out: written by hand, per model and never per
 * provider, each row with where and when it was read. The catalogue's own prices win as soon as it has them. To be reviewed by a person.
 */
import { money } from '../../../kernel/money.ts';
import { TOKEN_CLASS_NAMES, type TokenClass } from '../../../schema/token-classes.ts';
import type { RateVariant, TokenRates } from './rate-card-version.ts';

/** Names this table in the source of an import: another one is imported at the next start. */
export const STATED_AT = '2026-11-22';

type Price = { readonly rate: string } | { readonly factor: string };

interface StatedContext {
  readonly provider: string;
  /** Slugs of the catalogue's cards. */
  readonly models: readonly string[];
  readonly context: string;
  readonly prices: Readonly<Partial<Record<TokenClass | 'all', Price>>>;
  readonly source: string;
  /** When it was read, or published. */
  readonly date: string;
}

const HALF = { factor: '0.5' };
const PLAIN_HALF = { input: HALF, output: HALF, inputAudio: HALF };

const CLAUDE = [
  'claude-3-haiku',
  'claude-3-opus-latest',
  'claude-3-5-haiku-latest',
  'claude-3-5-sonnet',
  'claude-3-7-sonnet-latest',
  'claude-opus-4-0',
  'claude-opus-4-1',
  'claude-opus-4-5',
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-4-8',
  'claude-opus-5',
  'claude-opus-5-5',
  'claude-sonnet-4-0',
  'claude-sonnet-4-5',
  'claude-sonnet-4-6',
  'claude-sonnet-5',
  'claude-haiku-4-5',
  'claude-fable-5',
  'claude-fable-5-1',
];
/** Opus 4.6 and what came after it takes `inference_geo`. */
const CLAUDE_WITH_GEO = [
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-4-8',
  'claude-opus-5',
  'claude-opus-5-5',
  'claude-sonnet-4-6',
  'claude-sonnet-5',
  'claude-fable-5',
  'claude-fable-5-1',
];
const GPT_5 = [
  'gpt-5',
  'gpt-5-mini',
  'gpt-5-nano',
  'gpt-5.1',
  'gpt-5.2',
  'gpt-5.4',
  'gpt-5.4-mini',
  'gpt-5.4-nano',
  'gpt-5.5',
];
const GPT_5_6 = ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'];
const EARLIER_GPT = [
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4.1-nano',
  'o1',
  'o3',
  'o3-mini',
  'o4-mini',
];
const GEMINI = [
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-3-pro-preview',
  'gemini-3-flash-preview',
  'gemini-3.1-pro-preview',
  'gemini-3.5-flash',
];

const BATCH_GUIDE = 'developers.openai.com/api/docs/guides/batch';
const FLEX_GUIDE = 'developers.openai.com/api/docs/guides/flex-processing: tokens at Batch API rates';
const PRIORITY_PAGE = 'openai.com/api-priority-processing';
const GEMINI_PAGE = 'ai.google.dev/gemini-api/docs/optimization';
/** Recorded batch jobs, under the MIT license. */
const RECORDED = 'pydantic/genai-prices tests/test_price_variants.py at 497ee506 (MIT)';

const priority = (model: string, input: string, cacheRead: string, output: string): StatedContext => ({
  provider: 'openai',
  models: [model],
  context: 'tier=priority',
  prices: { input: { rate: input }, cacheRead: { rate: cacheRead }, output: { rate: output } },
  source: PRIORITY_PAGE,
  date: '2026-11-22',
});

const STATED_CONTEXTS: readonly StatedContext[] = [
  {
    provider: 'anthropic',
    models: CLAUDE,
    context: 'tier=batch',
    prices: { all: HALF },
    source: 'platform.claude.com/docs/en/build-with-claude/batch-processing: all usage at 50 %',
    date: '2026-11-22',
  },
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
    source: 'platform.claude.com/docs/en/build-with-claude/fast-mode: 6x, stacks with other modifiers',
    date: '2026-04-07',
  },
  {
    provider: 'anthropic',
    models: ['claude-opus-5'],
    context: 'speed=fast',
    prices: { all: { factor: '2' } },
    source: 'openrouter.ai/anthropic/claude-opus-5-fast: 10 and 50 USD, 2x of Opus 5',
    date: '2026-07-24',
  },
  {
    provider: 'openai',
    models: GPT_5,
    context: 'tier=batch',
    prices: { all: HALF },
    source: `${BATCH_GUIDE}; ${RECORDED}`,
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: GPT_5_6,
    context: 'tier=batch',
    prices: { all: HALF },
    source: `${BATCH_GUIDE}; ${RECORDED}`,
    date: '2026-08-28',
  },
  // Of these no cached rate is published for batches: cached tokens keep the standard one.
  {
    provider: 'openai',
    models: EARLIER_GPT,
    context: 'tier=batch',
    prices: { input: HALF, output: HALF },
    source: BATCH_GUIDE,
    date: '2026-11-22',
  },
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
  {
    provider: 'google',
    models: GEMINI,
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: `${GEMINI_PAGE}: 50 %; ${RECORDED}`,
    date: '2026-11-22',
  },
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
    models: ['gemini-3.1-flash-lite', 'gemini-3.6-flash'],
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: RECORDED,
    date: '2026-11-22',
  },
  {
    provider: 'x-ai',
    models: ['grok-4.3'],
    context: 'tier=batch',
    prices: { input: { factor: '0.8' }, output: { factor: '0.8' } },
    source: RECORDED,
    date: '2026-11-22',
  },
  {
    provider: 'mistral',
    models: ['mistral-large-2512', 'mistral-small-latest'],
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: RECORDED,
    date: '2026-11-22',
  },
  {
    provider: 'groq',
    models: ['llama-3.3-70b-versatile'],
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: RECORDED,
    date: '2026-11-22',
  },
];

interface StatedClass {
  readonly provider: string;
  readonly models: readonly string[];
  readonly rates: Readonly<Partial<Record<TokenClass, { readonly rate: string } | { readonly like: TokenClass }>>>;
  readonly source: string;
  readonly date: string;
}

/** Rates of classes that the catalogue leaves out. */
export const STATED_CLASSES: readonly StatedClass[] = [
  {
    provider: 'openai',
    models: ['gpt-4o-audio-preview'],
    rates: { inputAudio: { rate: '40' }, outputAudio: { rate: '80' } },
    source: 'developers.openai.com/api/docs/models/gpt-4o-audio-preview',
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: ['gpt-4o-mini-audio-preview'],
    rates: { inputAudio: { rate: '10' }, outputAudio: { rate: '20' } },
    source: 'huggingface.co/spaces/noumanjavaid/pricing, read next to the page of gpt-4o-audio-preview',
    date: '2026-11-22',
  },
  {
    provider: 'openai',
    models: ['gpt-image-1', 'gpt-image-1-mini', 'gpt-image-2'],
    rates: { outputImage: { like: 'output' } },
    source: 'the catalogue: the output of these models is pictures alone',
    date: '2026-11-22',
  },
  {
    provider: 'google',
    models: [
      ...GEMINI,
      'gemini-1.5-pro',
      'gemini-1.5-flash',
      'gemini-3.6-flash',
      'gemini-3.7-flash',
      'gemini-3.8-flash',
    ],
    rates: { inputAudio: { like: 'input' } },
    source: 'ai.google.dev/gemini-api/docs/pricing: one input price where audio is not listed apart',
    date: '2026-11-22',
  },
];

/** Rows for a card of the catalogue. */
export function statedVariants(provider: string, modelSlug: string): RateVariant[] {
  return STATED_CONTEXTS.filter((row) => row.provider === provider && row.models.includes(modelSlug)).flatMap(
    ({ context, prices, source, date }) =>
      CLASSES.flatMap((name): RateVariant[] => {
        const price = prices[name];
        if (!price) return [];
        return [
          {
            context,
            class: name,
            aboveInputTokens: 0,
            rate: 'rate' in price ? money(price.rate) : null,
            factor: 'factor' in price ? money(price.factor) : null,
            source: `${source}, ${date}`,
          },
        ];
      }),
  );
}

const CLASSES: readonly (TokenClass | 'all')[] = [...TOKEN_CLASS_NAMES, 'all'];

/** The rates with the stated ones where the catalogue has none. */
export function withStatedClasses(provider: string, modelSlug: string, rates: TokenRates): TokenRates {
  const rows = STATED_CLASSES.filter((row) => row.provider === provider && row.models.includes(modelSlug));
  if (rows.length === 0) return rates;
  const stated: Partial<Record<TokenClass, TokenRates[TokenClass]>> = {};
  for (const row of rows) {
    for (const name of TOKEN_CLASS_NAMES) {
      const price = row.rates[name];
      if (price && rates[name] === null) stated[name] = 'rate' in price ? money(price.rate) : rates[price.like];
    }
  }
  return { ...rates, ...stated };
}

/** Who sells what others state the prices of. */
const SAME_KEYS: Readonly<Record<string, string>> = { azure: 'openai' };
const NO_KEYS: ReadonlySet<string> = new Set();
const KEYS_BY_PROVIDER: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...Map.groupBy(STATED_CONTEXTS, ({ provider }) => provider)].map(([provider, rows]) => [
    provider,
    new Set(rows.flatMap(({ context }) => context.split(',').map((pair) => pair.slice(0, pair.indexOf('='))))),
  ]),
);

/** Keys of contexts by which a provider prices anything at all. */
export function pricedKeysOf(provider: string | null): ReadonlySet<string> {
  if (provider === null) return NO_KEYS;
  return KEYS_BY_PROVIDER.get(SAME_KEYS[provider] ?? provider) ?? NO_KEYS;
}
