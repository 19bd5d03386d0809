/** Who sold a call, as the form of a response tells. An API is no proof of it: others answer in its form, and the model decides then. */
type Fields = Readonly<Record<string, unknown>>;

const CHAT_OBJECTS: readonly string[] = ['chat.completion', 'response', 'text_completion', 'chat.completion.chunk'];
const CHAT_ID = /^(?:chatcmpl-|resp_|cmpl-)/;

/** Null: nothing tells, so that the catalogue finds it by the model. */
export function sellerOfForm(response: Fields, usage: Fields | null, model: string | null): string | null {
  const id = typeof response['id'] === 'string' ? response['id'] : '';
  if (isOpenRouter(response, usage)) return 'openrouter';
  if (response['usageMetadata'] !== undefined || response['modelVersion'] !== undefined) return 'google';
  if (response['ResponseMetadata'] !== undefined || response['inputTextTokenCount'] !== undefined) return 'aws';
  if (response['type'] === 'message' || id.startsWith('msg_')) return sellerOfClaude(model);
  if (CHAT_OBJECTS.includes(String(response['object'])) && CHAT_ID.test(id)) return 'openai';
  return null;
}

/** OpenRouter names the provider that it bought from, and it is the seller. */
export function isOpenRouter(response: Fields, usage: Fields | null): boolean {
  const { id } = response;
  return (
    (typeof id === 'string' && id.startsWith('gen-')) ||
    (usage !== null && (usage['cost_details'] !== undefined || usage['is_byok'] !== undefined))
  );
}

/**
 * Of a call in Anthropic's protocol, which hosts of Claude and vendors of other models speak as well: the form of the model's name.
 * Null: the catalogue finds it.
 */
export function sellerOfClaude(model: string | null): string | null {
  const name = model?.toLowerCase() ?? '';
  if (name === '' || /^claude-[^@/]*$/.test(name)) return 'anthropic';
  if (/^claude-[^/]*@/.test(name)) return 'google';
  if (/^(?:arn:aws|(?:[a-z-]+\.)?anthropic\.)/.test(name)) return 'aws';
  return null;
}
