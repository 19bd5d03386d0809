/** Turns the provider string of an event into the slug under which rate cards know the provider. */
import { CATALOGUE_PROVIDERS } from './catalogue-providers.ts';

/** What is shown and matched for a provider string that no one knows (decision 9, D32). */
export const UNKNOWN_PROVIDER = 'unknown';

const ALIASES: Readonly<Record<string, string>> = {
  bedrock: 'aws',
  'aws-bedrock': 'aws',
  'amazon-bedrock': 'aws',
  amazon: 'aws',
  'bedrock-converse': 'aws',
  gemini: 'google',
  vertex: 'google',
  'vertex-ai': 'google',
  vertexai: 'google',
  'google-vertex': 'google',
  'google-vertex-ai': 'google',
  'vertex-anthropic': 'google',
  'google-vertex-anthropic': 'google',
  'vertex-ai-anthropic': 'google',
  'google-ai-studio': 'google',
  'google-genai': 'google',
  'google-gla': 'google',
  'google-gemini': 'google',
  'gcp-gemini': 'google',
  'gcp-gen-ai': 'google',
  'google-generative-ai': 'google',
  'google-genai-sdk': 'google',
  gcp: 'google',
  'gcp-vertex-ai': 'google',
  xai: 'x-ai',
  grok: 'x-ai',
  'azure-openai': 'azure',
  'azure-ai': 'azure',
  'azure-ai-openai': 'azure',
  'azure-ai-inference': 'azure',
  'microsoft-azure': 'azure',
  'az-ai-openai': 'azure',
  'az-ai-inference': 'azure',
  'azure-cognitive-services': 'azure',
  'azure-foundry': 'azure',
  'azure-ai-agents': 'azure',
  'open-ai': 'openai',
  claude: 'anthropic',
  mistralai: 'mistral',
  'mistral-ai': 'mistral',
  moonshot: 'moonshotai',
  'moonshot-ai': 'moonshotai',
  'deep-seek': 'deepseek',
  pplx: 'perplexity',
  voyage: 'voyageai',
  'voyage-ai': 'voyageai',
  zhipu: 'zhipuai',
  'z-ai': 'zai',
  'z.ai': 'zai',
  'together-ai': 'together',
  togetherai: 'together',
  'fireworks-ai': 'fireworks',
  'open-router': 'openrouter',
  'workers-ai': 'cloudflare',
  'cloudflare-workers-ai': 'cloudflare',
  copilot: 'github-copilot',
};

/** Routers and libraries through which a call went: they sell nothing, so that the model tells the provider. */
const ROUTERS: ReadonlySet<string> = new Set([
  'litellm',
  'litellm-proxy',
  'gateway',
  'ai-gateway',
  'vercel',
  'vercel-ai-gateway',
  'portkey',
  'helicone',
  'langchain',
  'llamaindex',
  'openai-compatible',
  'openai-like',
  'custom-openai',
]);

/** What SDKs and proxies hang on a provider's name for the door that was used: `openai.responses`, `vertex_ai-language-models`. */
const DOOR =
  /-(?:chat|completions?|responses?|messages|generative-ai|vertex|converse|embeddings?|image|images|speech|transcription|audio|realtime|batch|beta|api|text|(?:language|chat|text|embedding|anthropic|mistral|llama|vision|image)-models)$/;
const DOORS_MAX = 3;

/**
 * `null`: the event names no provider, or a router, so it is inferred from the catalogue. `unknown`: it names one that is neither
 * in the alias table nor in `known`. Case, outer blanks and the choice of `_`, `.`, ` ` or `-` as separator do not matter.
 */
export function canonicalProvider(
  reported: string | null | undefined,
  known: ReadonlySet<string> = CATALOGUE_SLUGS,
): string | null {
  const sent = reported?.trim().toLowerCase() ?? '';
  if (sent === '') return null;
  if (known.has(sent)) return sent;
  let dashed = sent.replace(/[_.:/\s]+/g, '-');
  for (let doors = 0; doors <= DOORS_MAX; doors++) {
    const alias = [sent, dashed].find((text) => Object.hasOwn(ALIASES, text));
    const slug = [alias === undefined ? undefined : ALIASES[alias], dashed].find((one) => one && known.has(one));
    if (slug) return slug;
    if (ROUTERS.has(dashed)) return null;
    const house = dashed.replace(DOOR, '');
    if (house === dashed) break;
    dashed = house;
  }
  return UNKNOWN_PROVIDER;
}

const CATALOGUE_SLUGS: ReadonlySet<string> = new Set(Object.keys(CATALOGUE_PROVIDERS));
