/**
 * Determines the seller of a call from the structure of a response. The API format does not prove it, because other providers
 * use it too; the model then decides.
 */
import { type Fields, isObject, objectOf } from '#kernel/json/json-object.ts';
import { canonicalProvider } from './canonical-provider.ts';
import { isReseller } from './resellers.ts';
import { sellerOfHost } from './seller-of-host.ts';

const CHAT_OBJECTS: readonly string[] = ['chat.completion', 'response', 'text_completion', 'chat.completion.chunk'];
const CHAT_ID = /^(?:chatcmpl-|resp_|cmpl-)/;

/** Null if unknown: the catalogue then finds the seller by the model. */
export function sellerOfForm(response: Fields, usage: Fields | null, model: string | null): string | null {
  const id = typeof response['id'] === 'string' ? response['id'] : '';
  if (response['object'] === 'interaction' || usage?.['total_thought_tokens'] !== undefined) return 'google';
  if (response['usageMetadata'] !== undefined || (response['modelVersion'] ?? response['model_version']) !== undefined)
    return 'google';
  if (response['ResponseMetadata'] !== undefined || response['inputTextTokenCount'] !== undefined) return 'aws';
  if (response['x_groq'] !== undefined) return 'groq';
  const cloud = cloudOfClaude(id);
  if (cloud !== null) return cloud;
  if (response['type'] === 'message' || id.startsWith('msg_')) return sellerOfClaude(model);
  // The caller runs the model: a rate card for the provider `ollama` states its price.
  if (response['prompt_eval_count'] !== undefined || response['eval_count'] !== undefined) return 'ollama';
  // Many vendors and proxies return OpenAI's format, ids included.
  if (CHAT_OBJECTS.some((one) => one === response['object']) && CHAT_ID.test(id) && !isOfAnotherVendor(model))
    return 'openai';
  return null;
}

/**
 * The router that sold the call, which may itself name the provider that it used. Vercel's usage object has the fields of
 * OpenRouter's. `named`: the provider that the sender names beside the response.
 */
export function routerOf(response: Fields, usage: Fields | null, named: string | null): string | null {
  if (canonicalProvider(named) === VERCEL || isVercel(response)) return VERCEL;
  return isOpenRouter(response, usage) ? 'openrouter' : null;
}

const VERCEL = 'vercel';
/** The id of a generation at Vercel ends in a ULID. */
const VERCEL_ID = /^gen_[0-9A-HJKMNP-TV-Z]{26}$/i;

function isVercel(response: Fields): boolean {
  const { id } = response;
  if (typeof id === 'string' && VERCEL_ID.test(id)) return true;
  return ['providerMetadata', 'provider_metadata'].some((name) => isObject(objectOf(response[name])['gateway']));
}

function isOpenRouter(response: Fields, usage: Fields | null): boolean {
  const { id } = response;
  return (
    (typeof id === 'string' && isOpenRouterId(id)) ||
    (usage !== null && (usage['cost_details'] !== undefined || usage['is_byok'] !== undefined))
  );
}

/** The cloud that served Claude, derived from the message id: clouds have prices of their own. */
function cloudOfClaude(id: string): string | null {
  if (id.startsWith('msg_bdrk_')) return 'aws';
  return id.startsWith('msg_vrtx_') ? 'google' : null;
}

/** The id of a generation at OpenRouter. */
export function isOpenRouterId(id: string): boolean {
  return id.startsWith('gen-');
}

/**
 * The seller of a call reported by a client's library or a gateway. Both may name OpenRouter's upstream, or OpenAI for
 * every endpoint with OpenAI's protocol. The host or the model then decides.
 */
export function sellerOfCall(
  named: string | null,
  { id, model, host }: { readonly id: string | null; readonly model: string | null; readonly host: string | null },
): string | null {
  // OpenRouter names models as `vendor/model`.
  if (id !== null && isOpenRouterId(id) && model?.includes('/') !== false) return 'openrouter';
  const cloud = cloudOfClaude(id ?? '');
  if (cloud !== null && [null, 'anthropic'].includes(canonicalProvider(named))) return cloud;
  const ofHost = sellerOfHost(host);
  // Routers offer the protocols of other vendors.
  if (named === null || ofHost === 'openrouter' || isReseller(ofHost)) return ofHost ?? named;
  if (canonicalProvider(named) !== 'openai') return named;
  if (ofHost !== null && ofHost !== 'openai') return ofHost;
  if (ofHost !== null || !isOfAnotherVendor(model)) return named;
  // An open model at an unknown host may be run by the caller.
  return host === null || ownerOf(model) !== null ? null : named;
}

/** The vendor of a model that nobody else offers under this name; null for open models and unknown names. */
export function ownerOf(model: string | null): string | null {
  const name = model?.toLowerCase() ?? '';
  return OWNERS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

const OWNERS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:openai\/)?(?:ft:)?(?:gpt-(?!oss)|chatgpt|codex|o\d|computer-use|text-embedding-(?:3|ada)|whisper|tts-)/,
    'openai',
  ],
  [/(?:^|[/.])claude/, 'anthropic'],
  [/(?:^|\/)gemini/, 'google'],
  [/(?:^|\/)grok-(?![12]\b)/, 'x-ai'],
  [/(?:^|\/)sonar/, 'perplexity'],
];

/** False for names that show no vendor, such as those of deployments. */
function isOfAnotherVendor(model: string | null): boolean {
  return ownerOf(model) === null ? OPEN_MODELS.test(model?.toLowerCase() ?? '') : ownerOf(model) !== 'openai';
}

const OPEN_MODELS =
  /(?:^|[/.])(?:deepseek|kimi|moonshot|minimax|glm-|qwen|qwq|llama|meta-llama|mistral|mixtral|ministral|codestral|magistral|devstral|command-|gemma|nova-|jamba|phi-|gpt-oss)/;

/**
 * Derives the seller of a call in Anthropic's protocol from the form of the model name, because hosts of Claude and
 * vendors of other models use the protocol, too. Null: the catalogue finds the seller.
 */
export function sellerOfClaude(model: string | null): string | null {
  const name = model?.toLowerCase() ?? '';
  if (name === '' || /^claude-[^@/]*$/.test(name)) return 'anthropic';
  if (/^claude-[^/]*@/.test(name)) return 'google';
  if (/^(?:arn:aws|(?:[a-z-]+\.)?anthropic\.)/.test(name)) return 'aws';
  return null;
}
