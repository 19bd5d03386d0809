/**
 * Models that the catalogue lacks, although it has an older model whose name is a prefix of theirs. Written in the
 * catalogue's own format.
 */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';

interface StatedModel {
  /** Id of the older model. A catalogue without it gets no addition. */
  readonly beside: string;
  readonly model: ModelInfo;
}

export const STATED_MODELS: Readonly<Record<string, readonly StatedModel[]>> = {
  // openai.com/api/pricing, other models, read on 2026-11-30
  openai: [
    {
      beside: 'davinci',
      model: {
        id: 'davinci-002',
        name: 'Davinci 002',
        match: { equals: 'davinci-002' },
        prices: { input_mtok: 2, output_mtok: 2 },
      },
    },
    {
      beside: 'babbage',
      model: {
        id: 'babbage-002',
        name: 'Babbage 002',
        match: { equals: 'babbage-002' },
        prices: { input_mtok: 0.4, output_mtok: 0.4 },
      },
    },
  ],
  aws: [
    {
      beside: 'amazon.titan-embed-text-v1',
      model: {
        id: 'amazon.titan-embed-text-v2:0',
        name: 'Titan Text Embeddings V2',
        match: { starts_with: 'amazon.titan-embed-text-v2' },
        // aws.amazon.com/bedrock/pricing: $0.00002 per 1,000 input tokens, read on 2026-11-26
        prices: { input_mtok: 0.02 },
      },
    },
  ],
};

/** The catalogue's own row wins. */
export function withStatedModels({ id, models }: Provider): readonly ModelInfo[] {
  const has = (modelId: string) => models.some((model) => model.id === modelId);
  const stated = Object.hasOwn(STATED_MODELS, id) ? (STATED_MODELS[id] ?? []) : [];
  return [...models, ...stated.flatMap(({ beside, model }) => (has(beside) && !has(model.id) ? [model] : []))];
}
