/**
 * Models that the catalogue lacks, although it has an older model whose name is a prefix of theirs. Written in the
 * catalogue's own format.
 */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';

export const STATED_MODELS: Readonly<Record<string, readonly ModelInfo[]>> = {
  aws: [
    {
      id: 'amazon.titan-embed-text-v2:0',
      name: 'Titan Text Embeddings V2',
      match: { starts_with: 'amazon.titan-embed-text-v2' },
      // aws.amazon.com/bedrock/pricing: $0.00002 per 1,000 input tokens, read on 2026-11-26
      prices: { input_mtok: 0.02 },
    },
  ],
};

/** The catalogue's own row wins. */
export function withStatedModels({ id, models }: Provider): readonly ModelInfo[] {
  const stated = Object.hasOwn(STATED_MODELS, id) ? (STATED_MODELS[id] ?? []) : [];
  return [...models, ...stated.filter((one) => !models.some((model) => model.id === one.id))];
}
