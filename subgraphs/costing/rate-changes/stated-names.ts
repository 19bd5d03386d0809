/** Names of catalogue models that the catalogue omits (rules in `../rates/stated-rates.ts`). */

interface StatedNames {
  readonly provider: string;
  /** By the name of a model in the catalogue, in lower case. */
  readonly names: Readonly<Record<string, string>>;
  readonly source: string;
  readonly date: string;
}

export const STATED_NAMES: readonly StatedNames[] = [
  {
    provider: 'openai',
    names: { 'computer-use': 'computer-use-preview' },
    source: 'developers.openai.com/api/docs/models/computer-use-preview',
    date: '2026-11-30',
  },
  {
    provider: 'openrouter',
    names: {
      'cohere/command-a': 'cohere/command-a-03-2025',
      'meta-llama/llama-4-maverick': 'meta-llama/llama-4-maverick-17b-128e-instruct',
      'meta-llama/llama-4-scout': 'meta-llama/llama-4-scout-17b-16e-instruct',
      'mistralai/devstral-small': 'mistralai/devstral-small-2507',
      'mistralai/mistral-saba': 'mistralai/mistral-saba-2502',
      'mistralai/mistral-small-3.1-24b-instruct': 'mistralai/mistral-small-3.1-24b-instruct-2503',
      'mistralai/mistral-small-3.2-24b-instruct': 'mistralai/mistral-small-3.2-24b-instruct-2506',
      'qwen/qwen3-8b': 'qwen/qwen3-8b-04-28',
      'qwen/qwen3-14b': 'qwen/qwen3-14b-04-28',
      'qwen/qwen3-32b': 'qwen/qwen3-32b-04-28',
      'qwen/qwen3-30b-a3b': 'qwen/qwen3-30b-a3b-04-28',
      'qwen/qwen3-235b-a22b': 'qwen/qwen3-235b-a22b-04-28',
      'qwen/qwen3-235b-a22b-2507': 'qwen/qwen3-235b-a22b-07-25',
      'rekaai/reka-edge': 'rekaai/reka-edge-2603',
      'sao10k/l3.3-euryale-70b': 'sao10k/l3.3-euryale-70b-v2.3',
      // Not the text model GLM 4.6, although its name differs only by the date.
      'z-ai/glm-4.6v': 'z-ai/glm-4.6-20251208',
    },
    source: 'openrouter.ai/api/v1/models: canonical_slug, the name in responses and in the activity export',
    date: '2026-05-02',
  },
];

/** Additional names of a model, in lower case. */
export function statedNames(provider: string, model: string): readonly string[] {
  const name = model.trim().toLowerCase();
  return STATED_NAMES.filter((row) => row.provider === provider).flatMap(({ names }) => names[name] ?? []);
}
