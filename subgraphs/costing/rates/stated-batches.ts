/**
 * Prices of batches, per model. Entered by hand, to be reviewed by a person (rules in `stated-rates.ts`). A batch of a
 * model that is not listed waits.
 */
import { GEMINI, GPT_5, GPT_5_6, HALF, names, PLAIN_HALF, type StatedContext } from './stated-contexts.ts';

const CLAUDE = names(
  'claude-3-haiku claude-3-opus-latest claude-3-5-haiku-latest claude-3-5-sonnet claude-3-7-sonnet-latest',
  'claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8',
  'claude-opus-5 claude-opus-5-5 claude-sonnet-4-0 claude-sonnet-4-5 claude-sonnet-4-6 claude-sonnet-5',
  'claude-haiku-4-5 claude-fable-5 claude-fable-5-1',
);
const EARLIER_GPT = names('gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-4.1-nano o1 o3 o3-mini o4-mini');
/** Models of Bedrock's batch inference; Claude by its regional and its global profiles. */
const BEDROCK_BATCHES = names(
  'regional.anthropic.claude-3-haiku-20240307-v1:0 regional.anthropic.claude-3-5-haiku-20241022-v1:0',
  'regional.anthropic.claude-3-5-sonnet-20240620-v1:0 regional.anthropic.claude-3-5-sonnet-20241022-v2:0',
  'regional.anthropic.claude-3-7-sonnet-20250219-v1:0 regional.anthropic.claude-sonnet-4-20250514-v1:0',
  ...['haiku-4-5-20251001-v1:0', 'sonnet-4-5-20250929-v1:0', 'sonnet-4-6-v1:0', 'sonnet-5-v1:0'].flatMap(profiles),
  ...['opus-4-5-v1:0', 'opus-4-6-v1:0', 'opus-4-7-v1:0', 'opus-4-8-v1:0', 'opus-5', 'opus-5-5'].flatMap(profiles),
  'global.anthropic.claude-sonnet-4-20250514-v1:0',
  'amazon.nova-micro-v1:0 amazon.nova-lite-v1:0 amazon.nova-pro-v1:0 amazon.nova-premier-v1:0',
  'regional.amazon.nova-2-lite-v1:0 global.amazon.nova-2-lite-v1:0',
  'meta.llama3-1-8b-instruct-v1:0 meta.llama3-1-70b-instruct-v1:0 meta.llama3-3-70b-instruct-v1:0',
  'meta.llama4-maverick-17b-instruct-v1:0 meta.llama4-scout-17b-instruct-v1:0',
);

function profiles(model: string): string[] {
  return ['regional', 'global'].map((profile) => `${profile}.anthropic.claude-${model}`);
}

const BATCH_GUIDE = 'developers.openai.com/api/docs/guides/batch';
const GEMINI_PAGE = 'ai.google.dev/gemini-api/docs/optimization';
/** Recorded batch jobs, under the MIT license. */
const RECORDED = 'pydantic/genai-prices tests/test_price_variants.py at 497ee506 (MIT)';

export const STATED_BATCHES: readonly StatedContext[] = [
  {
    provider: 'anthropic',
    models: CLAUDE,
    context: 'tier=batch',
    prices: { all: HALF },
    source: 'platform.claude.com/docs/en/build-with-claude/batch-processing: all usage at 50 %',
    date: '2026-11-22',
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
  {
    provider: 'openai',
    models: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
    context: 'tier=batch',
    prices: { all: HALF },
    source: `${BATCH_GUIDE}: 50 % of every model that the endpoint /v1/embeddings takes`,
    date: '2026-11-26',
  },
  {
    provider: 'openai',
    models: EARLIER_GPT,
    context: 'tier=batch',
    prices: { input: HALF, output: HALF },
    source: BATCH_GUIDE,
    date: '2026-11-22',
  },
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
    models: ['mistral-large-2512', 'mistral-small-latest', 'mistral-small-2603'],
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
  {
    provider: 'openai',
    models: names(
      'gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4o-2024-05-13 o1-mini o1-pro o3-pro gpt-5-pro gpt-5.2-pro',
      'o3-deep-research o4-mini-deep-research computer-use',
    ),
    context: 'tier=batch',
    prices: { input: HALF, output: HALF },
    source: BATCH_GUIDE,
    date: '2026-11-29',
  },
  {
    provider: 'google',
    models: names('gemini-2.0-flash gemini-2.0-flash-lite gemini-2.5-flash-image gemini-embedding-001'),
    context: 'tier=batch',
    prices: { ...PLAIN_HALF, outputImage: HALF },
    source: `${GEMINI_PAGE}: 50 %`,
    date: '2026-11-29',
  },
  {
    provider: 'google',
    models: names(
      'claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet claude-4-opus claude-4-sonnet claude-sonnet-4-5',
      'claude-sonnet-4-6 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5',
      'claude-fable-5 claude-fable-5-1',
    ),
    context: 'tier=batch',
    prices: { all: HALF },
    source: 'cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/batch and its pricing page: 50 %',
    date: '2026-11-29',
  },
  {
    provider: 'mistral',
    models: names(
      'mistral-medium-latest mistral-medium-3-1 mistral-medium-3-5 ministral-3b-2512 ministral-8b-2512',
      'ministral-8b-latest ministral-14b-2512 codestral-2508 devstral-2512 magistral-medium magistral-small pixtral-large',
    ),
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: 'docs.mistral.ai/capabilities/batch: 50 %',
    date: '2026-11-29',
  },
  {
    provider: 'groq',
    models: names(
      'llama-3.1-8b-instant meta-llama/llama-4-maverick-17b-128e-instruct meta-llama/llama-4-scout-17b-16e-instruct',
      'moonshotai/kimi-k2-instruct openai/gpt-oss-120b openai/gpt-oss-20b qwen/qwen3-32b',
    ),
    context: 'tier=batch',
    prices: PLAIN_HALF,
    source: 'console.groq.com/docs/batch: 50 %',
    date: '2026-11-29',
  },
  {
    provider: 'aws',
    models: BEDROCK_BATCHES,
    context: 'tier=batch',
    prices: { input: HALF, output: HALF },
    source: 'aws.amazon.com/bedrock/pricing: batch at 50 % of on-demand',
    date: '2026-11-29',
  },
];
