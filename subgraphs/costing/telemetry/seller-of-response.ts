/**
 * Determines the seller of a call from the structure of a response. The API format is no proof, since other providers
 * use it too; the model then decides.
 */
type Fields = Readonly<Record<string, unknown>>;

const CHAT_OBJECTS: readonly string[] = ['chat.completion', 'response', 'text_completion', 'chat.completion.chunk'];
const CHAT_ID = /^(?:chatcmpl-|resp_|cmpl-)/;

/** Null if unknown: the catalogue then finds the seller by the model. */
export function sellerOfForm(response: Fields, usage: Fields | null, model: string | null): string | null {
  const id = typeof response['id'] === 'string' ? response['id'] : '';
  if (isOpenRouter(response, usage)) return 'openrouter';
  if (response['object'] === 'interaction' || usage?.['total_thought_tokens'] !== undefined) return 'google';
  if (response['usageMetadata'] !== undefined || (response['modelVersion'] ?? response['model_version']) !== undefined)
    return 'google';
  if (response['ResponseMetadata'] !== undefined || response['inputTextTokenCount'] !== undefined) return 'aws';
  if (response['type'] === 'message' || id.startsWith('msg_')) return sellerOfClaude(model);
  // The caller runs the model: a rate card for the provider `ollama` states its price.
  if (response['prompt_eval_count'] !== undefined || response['eval_count'] !== undefined) return 'ollama';
  if (CHAT_OBJECTS.some((one) => one === response['object']) && CHAT_ID.test(id)) return 'openai';
  return null;
}

/** OpenRouter's responses name the provider it used, but OpenRouter is the seller. */
export function isOpenRouter(response: Fields, usage: Fields | null): boolean {
  const { id } = response;
  return (
    (typeof id === 'string' && id.startsWith('gen-')) ||
    (usage !== null && (usage['cost_details'] !== undefined || usage['is_byok'] !== undefined))
  );
}

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
