/**
 * Rates of token classes that the catalogue omits, per model. Entered by hand, to be reviewed by a person (rules in
 * `stated-rates.ts`).
 */
import type { Money } from '#kernel/money.ts';
import type { IsoSpan } from '#kernel/time/iso-span.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import type { TokenRates } from './rate-card-version.ts';
import { GEMINI } from './stated-contexts.ts';

export interface StatedClass extends IsoSpan {
  readonly provider: string;
  /** Slugs of catalogue cards. */
  readonly models: readonly string[] | RegExp;
  /** `like`: the rate of another class, times `factor` if it is set. */
  readonly rates: Readonly<Partial<Record<TokenClass, StatedRate>>>;
  readonly source: string;
  readonly date: string;
}

type StatedRate = { readonly rate: string } | { readonly like: TokenClass; readonly factor?: string };

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
    provider: 'openai',
    models: ['ft:gpt-4o', 'ft:gpt-4o-mini'],
    rates: { cacheRead: { like: 'input', factor: '0.5' } },
    source: 'platform.openai.com/docs/pricing: fine-tuning, as BerriAI/litellm states it (MIT)',
    date: '2026-11-30',
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
  {
    provider: 'google',
    models: ['gemini-2.5-flash-tts', 'gemini-2.5-pro-tts', 'gemini-2.5-flash-lite-preview-tts'],
    rates: { outputAudio: { like: 'output' } },
    source: 'ai.google.dev/gemini-api/docs/pricing: the output of these models is speech alone',
    date: '2026-11-29',
  },
  {
    provider: 'google',
    models: [...GEMINI, 'gemini-1.5-flash', 'gemini-3.6-flash', 'gemini-3.7-flash', 'gemini-3.8-flash'],
    rates: { cacheReadAudio: { like: 'cacheRead' } },
    source: 'ai.google.dev/gemini-api/docs/pricing: one price for cached tokens where audio is not listed apart',
    date: '2026-11-30',
  },
  {
    provider: 'openrouter',
    models: /^openrouter\/anthropic\/claude-3/,
    rates: { cacheRead: { like: 'input', factor: '0.1' }, cacheCreation: { like: 'input', factor: '1.25' } },
    source: 'openrouter.ai/docs/guides/best-practices/prompt-caching: Anthropic; the catalogue for claude-3.7-sonnet',
    date: '2026-11-30',
  },
  {
    provider: 'cerebras',
    // All of them.
    models: /^/,
    rates: { cacheRead: { like: 'input' } },
    source: 'inference-docs.cerebras.ai/capabilities/prompt-caching: cached tokens at the standard input rate',
    date: '2026-11-30',
  },
];

/** True if the row applies to a card. */
export function isOfCard({ provider, models }: Pick<StatedClass, 'provider' | 'models'>, of: string, slug: string) {
  return provider === of && (models instanceof RegExp ? models.test(slug) : models.includes(slug));
}

/** Resellers of Claude whose catalogue prices omit the one-hour cache. */
const CLAUDE_HOSTS: ReadonlySet<string> = new Set(['aws', 'azure', 'google', 'openrouter']);

/**
 * One-hour cache write rate if the catalogue only has the five-minute one: twice the input rate, when the five-minute
 * rate is 1.25 times the input rate (platform.claude.com/docs/en/build-with-claude/prompt-caching, and the hosts' own
 * lists, 2026-11-22).
 */
export function longWriteRate(
  provider: string,
  modelSlug: string,
  { input, cacheCreation, cacheCreation1h }: TokenRates,
): Money | null {
  if (cacheCreation1h !== null || !CLAUDE_HOSTS.has(provider) || !modelSlug.includes('claude')) return cacheCreation1h;
  return input !== null && cacheCreation?.eq(input.times(1.25)) === true ? input.times(2) : null;
}
