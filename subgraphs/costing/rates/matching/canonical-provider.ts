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
  'google-ai-studio': 'google',
  'google-genai': 'google',
  'google-gla': 'google',
  'google-gemini': 'google',
  'gcp-gemini': 'google',
  'gcp-gen-ai': 'google',
  'gcp-vertex-ai': 'google',
  xai: 'x-ai',
  grok: 'x-ai',
  'azure-openai': 'azure',
  'azure-ai': 'azure',
  'azure-ai-openai': 'azure',
  'azure-ai-inference': 'azure',
  'microsoft-azure': 'azure',
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

/**
 * `null`: the event names no provider, so it is inferred from the catalogue. `unknown`: it names one that is neither in
 * the alias table nor in `known`. Case, outer blanks and the choice of `_`, `.`, ` ` or `-` as separator do not matter.
 */
export function canonicalProvider(
  reported: string | null | undefined,
  known: ReadonlySet<string> = CATALOGUE_SLUGS,
): string | null {
  const sent = reported?.trim().toLowerCase() ?? '';
  if (sent === '') return null;
  const dashed = sent.replace(/[_.\s]+/g, '-');
  const aliased = [sent, dashed].flatMap((text) => (Object.hasOwn(ALIASES, text) ? ALIASES[text] : []));
  return [sent, ...aliased, dashed].find((slug) => slug !== undefined && known.has(slug)) ?? UNKNOWN_PROVIDER;
}

const CATALOGUE_SLUGS: ReadonlySet<string> = new Set(Object.keys(CATALOGUE_PROVIDERS));
