/** The catalogue provider that an event's provider string refers to. */
import { waitForUpdate } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { canonicalProvider } from '#usage/names/canonical-provider.ts';
import {
  CATALOGUE_PROVIDERS,
  FALLBACK_PROVIDERS,
  MODEL_OWNERS,
  SOLE_OWNERS,
} from '#usage/names/catalogue-providers.ts';

test.each([
  ['openai', 'openai'],
  [' OpenAI ', 'openai'],
  ['bedrock', 'aws'],
  ['aws-bedrock', 'aws'],
  ['amazon-bedrock', 'aws'],
  ['AWS_Bedrock', 'aws'],
  ['aws.bedrock', 'aws'],
  ['gemini', 'google'],
  ['vertex', 'google'],
  ['vertex_ai', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['xai', 'x-ai'],
  ['x_ai', 'x-ai'],
  ['azure_openai', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['mistral_ai', 'mistral'],
  ['huggingface_together', 'huggingface_together'],
  // The Vercel AI SDK's ids
  ['openai.chat', 'openai'],
  ['openai.responses', 'openai'],
  ['anthropic.messages', 'anthropic'],
  ['vertex.anthropic.messages', 'google'],
  ['google.generative-ai', 'google'],
  ['google.vertex.chat', 'google'],
  ['azure-openai.responses', 'azure'],
  ['amazon-bedrock', 'aws'],
  ['xai.chat', 'x-ai'],
  ['mistral.chat', 'mistral'],
  // LiteLLM's, including those of hosts
  ['vertex_ai-language-models', 'google'],
  ['vertex_ai-anthropic_models', 'google'],
  ['bedrock_converse', 'aws'],
  ['fireworks_ai', 'fireworks'],
  ['litellm', null],
  ['litellm_proxy', null],
  ['openai_compatible.chat', null],
  // OpenTelemetry's
  ['az.ai.openai', 'azure'],
  ['az.ai.inference', 'azure'],
  ['gcp.gemini', 'google'],
  ['openai-mirror', 'unknown'],
  ['acme', 'unknown'],
  ['unknown', 'unknown'],
  ['constructor', 'unknown'],
  ['', null],
  ['  ', null],
  [null, null],
  [undefined, null],
])('%s is %s', (reported, slug) => {
  expect(canonicalProvider(reported)).toBe(slug);
});

test('a provider that appears only on a handwritten card is recognized', () => {
  expect(canonicalProvider('Acme', new Set(['acme']))).toBe('acme');
});

test('the tables match the pinned catalogue', async () => {
  const providers = (await waitForUpdate()) ?? [];
  expect(CATALOGUE_PROVIDERS).toEqual(Object.fromEntries(providers.map(({ id, name }) => [id, name])));
  expect(FALLBACK_PROVIDERS).toEqual(
    Object.fromEntries(providers.flatMap(({ id, fallback_model_providers: others }) => (others ? [[id, others]] : []))),
  );
  expect(Object.keys(SOLE_OWNERS).filter((slug) => !Object.hasOwn(CATALOGUE_PROVIDERS, slug))).toEqual([]);
  expect(MODEL_OWNERS.filter((slug) => !Object.hasOwn(CATALOGUE_PROVIDERS, slug))).toEqual([]);
});
