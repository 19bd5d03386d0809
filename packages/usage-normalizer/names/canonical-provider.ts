/** Maps the provider string of an event to the provider slug used by rate cards. */
import { CATALOGUE_PROVIDERS } from './catalogue-providers.ts';
import { isReseller } from './resellers.ts';

/** Shown and matched for an unrecognized provider string (decision 9, D32). */
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
  'gcp-vertex-agent': 'google',
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
  'vercel-ai-gateway': 'vercel',
  // The name that the AI SDK gives to Vercel's gateway
  gateway: 'vercel',
};

/**
 * Libraries and proxies that only forwarded the call. They do not sell models, so the provider is inferred from the
 * model.
 */
const LIBRARIES: ReadonlySet<string> = new Set([
  'litellm',
  'litellm-proxy',
  'langchain',
  'llamaindex',
  'langgraph',
  'strands-agents',
  'semantic-kernel',
  'autogen',
  'crewai',
  'pydantic-ai',
  'spring-ai',
  'openai-compatible',
  'openai-like',
  'custom-openai',
]);

/**
 * Gateways that forward calls with the caller's own key, or resell them. The provider of a call is inferred from the
 * model, and its cost is a guess unless the gateway states it.
 */
const GATEWAYS: ReadonlySet<string> = new Set([
  'ai-gateway',
  'portkey',
  'helicone',
  'cloudflare-ai-gateway',
  'cf-ai-gateway',
  'kong',
  'kong-ai-gateway',
  'requesty',
  'bifrost',
  'truefoundry',
  'llmgateway',
  'llm-gateway',
  'kilo',
  'kilo-gateway',
  'opencode',
  'opencode-zen',
  'unify',
  'martian',
  'aihubmix',
  'glama',
  'eden-ai',
  'edenai',
  'orq',
  'poe',
]);

/**
 * Suffixes that SDKs and proxies append to a provider's name for the endpoint used: `openai.responses`,
 * `vertex_ai-language-models`.
 */
const ENDPOINT_SUFFIX =
  /-(?:chat|completions?|responses?|messages|generative-ai|vertex|converse|embeddings?|image|images|speech|transcription|audio|realtime|batch|beta|api|text|(?:language|chat|text|embedding|anthropic|mistral|llama|vision|image)-models)$/;
const SUFFIXES_MAX = 3;

/**
 * `null`: the event names no provider, or only a library or a gateway; the provider is inferred from the catalogue.
 * `unknown`: the named provider is neither in the alias table nor in `known`. Case, surrounding blanks and the kind of
 * separator (underscore, dot, blank or dash) do not matter.
 */
export function canonicalProvider(
  reported: string | null | undefined,
  known: ReadonlySet<string> = CATALOGUE_SLUGS,
): string | null {
  const sent = reported?.trim().toLowerCase() ?? '';
  if (sent === '') return null;
  if (known.has(sent)) return sent;
  for (const dashed of spellingsOf(sent)) {
    const alias = [sent, dashed].find((text) => Object.hasOwn(ALIASES, text));
    const slug = [alias === undefined ? undefined : ALIASES[alias], dashed].find(
      (one) => one && (known.has(one) || isReseller(one)),
    );
    if (slug) return slug;
    if (LIBRARIES.has(dashed) || GATEWAYS.has(dashed)) return null;
  }
  return UNKNOWN_PROVIDER;
}

/** True if the event names a gateway instead of the provider that served the call. */
export function isGateway(reported: string | null | undefined): boolean {
  for (const dashed of spellingsOf(reported?.trim().toLowerCase() ?? '')) if (GATEWAYS.has(dashed)) return true;
  return false;
}

/** The name with dashes, then without one suffix of an endpoint after another. */
function* spellingsOf(sent: string): Generator<string> {
  let dashed = sent.replace(/[_.:/\s]+/g, '-');
  for (let dropped = 0; dropped <= SUFFIXES_MAX; dropped++) {
    yield dashed;
    const shorter = dashed.replace(ENDPOINT_SUFFIX, '');
    if (shorter === dashed) return;
    dashed = shorter;
  }
}

const CATALOGUE_SLUGS: ReadonlySet<string> = new Set(Object.keys(CATALOGUE_PROVIDERS));
