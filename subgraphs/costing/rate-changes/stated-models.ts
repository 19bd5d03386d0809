/** Models that the catalogue lacks. Written in the catalogue's own format, to be reviewed by a person. */
import type { ModelInfo, Provider } from '@pydantic/genai-prices';

interface StatedModel {
  /** Id of an older model. A catalogue without it gets no addition. */
  readonly beside: string;
  readonly model: ModelInfo;
}

/** A price per 1,000 queries of up to 100 documents, which providers call search units. */
const rerank = (beside: string, id: string, name: string, perThousand: number): StatedModel => ({
  beside,
  model: { id, name, match: { equals: id }, prices: { search_units_kcount: perThousand } },
});

/** A model that is priced by its input alone. */
const byInput = (beside: string, id: string, name: string, input: number): StatedModel => ({
  beside,
  model: { id, name, match: { equals: id }, prices: { input_mtok: input } },
});

/** A tuned model costs the same, whichever organization owns it. */
const tuned = (beside: string, name: string, input: number, cacheRead: number, output: number): StatedModel => ({
  beside,
  model: {
    id: `ft:${name}`,
    name: `${name} fine tuned`,
    match: { starts_with: `ft:${name}` },
    prices: { input_mtok: input, cache_read_mtok: cacheRead, output_mtok: output },
  },
});

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
    // platform.openai.com/docs/pricing, text tokens, as BerriAI/litellm states it (MIT), read on 2026-11-30
    {
      beside: 'gpt-5',
      model: {
        id: 'gpt-5-search-api',
        name: 'GPT-5 Search API',
        match: { equals: 'gpt-5-search-api' },
        prices: { input_mtok: 1.25, cache_read_mtok: 0.125, output_mtok: 10 },
      },
    },
    // platform.openai.com/docs/pricing, fine-tuning, as BerriAI/litellm states it (MIT), read on 2026-11-30
    tuned('gpt-4.1', 'gpt-4.1', 3, 0.75, 12),
    tuned('gpt-4.1-mini', 'gpt-4.1-mini', 0.8, 0.2, 3.2),
    tuned('gpt-4.1-nano', 'gpt-4.1-nano', 0.2, 0.05, 0.8),
    tuned('o4-mini', 'o4-mini', 4, 1, 16),
  ],
  // cohere.com/pricing, as developer.puter.com and docs.memberjunction.org state it in 2026: 2 USD for 1,000 searches,
  // 2.50 for Rerank 4 Pro; getmaxim.ai and openrouter.ai/cohere/rerank-5-fast: by tokens since Rerank 5
  cohere: [
    ...['rerank-english-v3.0', 'rerank-multilingual-v3.0', 'rerank-v3.5', 'rerank-v4.0-fast'].map((id) =>
      rerank('command-a', id, `Cohere ${id}`, 2),
    ),
    rerank('command-a', 'rerank-v4.0-pro', 'Cohere rerank-v4.0-pro', 2.5),
    byInput('command-a', 'rerank-v5.0-pro', 'Cohere rerank-v5.0-pro', 0.05),
    byInput('command-a', 'rerank-v5.0-fast', 'Cohere rerank-v5.0-fast', 0.02),
  ],
  // docs.voyageai.com/docs/pricing, as vercel.com/ai-gateway and getmaxim.ai state it, read on 2026-11-30
  voyageai: [
    ...['rerank-2', 'rerank-2.5', 'rerank-3'].map((id) => byInput('voyage-3', id, `Voyage ${id}`, 0.05)),
    ...['rerank-2-lite', 'rerank-2.5-lite', 'rerank-3-lite'].map((id) => byInput('voyage-3', id, `Voyage ${id}`, 0.02)),
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
