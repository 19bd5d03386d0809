/**
 * Names that mean "the newest", and the models that each of them referred to over time. Events with such a name wait
 * if it is neither listed here nor in the catalogue: they never get the price of an older model. To be reviewed by a
 * person.
 */
import type { DatedAlias } from './correct-drafts.ts';

const MISTRAL_MODELS = 'docs.mistral.ai/getting-started/models and its changelog';
const GEMINI_CHANGELOG = 'ai.google.dev/gemini-api/docs/changelog';
const READ = '2026-11-26';

export const DATED_ALIASES: readonly DatedAlias[] = [
  // These snapshots were cheaper from their first day; the names without a date were not.
  ...[
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-3.5-turbo-0125', 'gpt-3.5-turbo'],
  ].map(([name = '', model = '']): DatedAlias => ({
    provider: 'openai',
    names: [name],
    served: [{ model }],
    isUncorrected: true,
    source: 'openai.com/api/pricing',
    date: '2026-11-27',
  })),
  // The catalogue lists it as GPT-OSS 120B.
  {
    provider: 'groq',
    names: ['openai/gpt-oss-safeguard-20b'],
    served: [{ model: 'openai/gpt-oss-20b' }],
    source: 'groq.com/pricing: at the price of GPT-OSS 20B',
    date: '2026-11-30',
  },
  ...['deepseek-chat', 'deepseek-reasoner'].map((name): DatedAlias => ({
    provider: 'deepseek',
    names: [name],
    served: [
      { model: name },
      { from: '2026-04-24', model: 'deepseek-v4-flash' },
      { from: '2026-07-24T15:59:00Z', model: null },
    ],
    source: 'api-docs.deepseek.com/updates: V4 Flash serves the old names until they are retired',
    date: READ,
  })),
  {
    provider: 'deepseek',
    names: ['deepseek-flash', 'deepseek-v4.1-flash'],
    served: [{ from: '2026-09-10', model: 'deepseek-v4-flash' }],
    source: 'api-docs.deepseek.com/quick_start/pricing: the name of V4.1 Flash',
    date: READ,
  },
  {
    provider: 'deepseek',
    names: ['deepseek-v4-flash-vision-exp'],
    served: [{ model: 'deepseek-v4-flash' }],
    source: 'api-docs.deepseek.com/quick_start/pricing: at the price of Flash',
    date: READ,
  },
  {
    provider: 'google',
    names: ['gemini-pro-latest'],
    served: [
      { from: '2026-01-21', model: 'gemini-3-pro-preview' },
      { from: '2026-03-06', model: 'gemini-3.1-pro-preview' },
    ],
    source: GEMINI_CHANGELOG,
    date: READ,
  },
  {
    provider: 'google',
    names: ['gemini-flash-latest'],
    served: [
      { from: '2025-09-25', model: 'gemini-2.5-flash' },
      { from: '2026-01-21', model: 'gemini-3-flash-preview' },
      // The name switched on an unknown day after the release of 3.5 Flash. The model it referred to until
      // 2026-08-21 is unknown.
      { from: '2026-05-19', model: null },
      { from: '2026-08-21', model: 'gemini-3.7-flash' },
    ],
    source: `${GEMINI_CHANGELOG}; models.dev on 2026-08-21`,
    date: READ,
  },
  {
    provider: 'google',
    names: ['gemini-flash-lite-latest'],
    served: [
      { from: '2025-09-25', model: 'gemini-2.5-flash-lite' },
      // The name switched on an unknown day after the preview of 3.1 Flash-Lite.
      { from: '2026-03-03', model: null },
      { from: '2026-08-21', model: 'gemini-3.5-flash-lite' },
    ],
    source: `${GEMINI_CHANGELOG}; models.dev on 2026-08-21`,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['mistral-large-latest'],
    served: [
      { from: '2024-09-17', model: 'mistral-large' },
      { from: '2025-12-02', model: 'mistral-large-2512' },
    ],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['mistral-small-latest'],
    served: [
      { from: '2025-01-30', model: 'mistral-small-latest' },
      { from: '2026-03-16', model: 'mistral-small-2603' },
    ],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['ministral-3b-latest'],
    served: [
      { from: '2024-10-16', model: 'ministral-3b' },
      { from: '2025-12-02', model: 'ministral-3b-2512' },
    ],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['ministral-14b-latest'],
    served: [{ from: '2025-12-02', model: 'ministral-14b-2512' }],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['codestral-latest'],
    served: [
      { from: '2025-01-13', model: 'codestral' },
      { from: '2025-07-30', model: 'codestral-2508' },
    ],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['magistral-medium-latest'],
    served: [{ from: '2025-06-10', model: 'magistral-medium' }],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['magistral-small-latest'],
    served: [{ from: '2025-06-10', model: 'magistral-small' }],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['devstral-medium-latest', 'devstral-latest'],
    served: [{ from: '2025-12-09', model: 'devstral-2512' }],
    source: MISTRAL_MODELS,
    date: READ,
  },
  {
    provider: 'mistral',
    names: ['voxtral-mini-latest'],
    served: [{ from: '2026-02-04', model: 'voxtral-mini-2602' }],
    source: 'docs.mistral.ai/models/voxtral-mini-transcribe-26-02',
    date: READ,
  },
  {
    provider: 'x-ai',
    names: ['grok-latest'],
    served: [{ from: '2026-07-08', model: 'grok-4.5' }],
    source: 'docs.x.ai/developers/models',
    date: READ,
  },
];
