/** Reads a provider's response: whose it is, which model answered, and its usage object. */

export interface Reading {
  readonly provider: string | null;
  /** Null: the provider names none, so that a key is made. */
  readonly id: string | null;
  readonly model: string | null;
  /** The provider's own object, as it came. */
  readonly usage: Readonly<Record<string, unknown>> | null;
  readonly serviceTier: string | null;
  /** False: the response ended early, and this is what was known by then. */
  readonly isWhole: boolean;
  /** Of a response that ended early: estimates of its tokens, from the text that passed. */
  readonly estimate?: { readonly input: number; readonly output: number } | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What the request says where the response does not. */
export interface Hints {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** The request, for estimates: read only if the response ends early. */
  readonly request?: unknown;
}

/** Null: no response of a model, or one that has cost nothing yet. */
export function readResponse(body: unknown, hints: Hints = {}): Reading | null {
  if (Array.isArray(body)) return readParts(body, hints);
  if (!isFields(body)) return null;
  if (isPending(body)) return null;
  const usage = usageOf(body);
  if (usage === null) return null;
  const model = text(body['model']) ?? text(body['modelVersion']) ?? text(body['model_version']);
  const answered = hints.provider === 'azure' && model === null ? hints.model : (model ?? hints.model ?? null);
  return {
    provider: hints.provider ?? providerOf(body, answered ?? null),
    id: text(body['id']) ?? text(body['responseId']) ?? text(body['response_id']),
    model: plainModel(answered ?? null),
    usage,
    serviceTier: text(body['service_tier']),
    isWhole: true,
  };
}

/** Gemini's stream without `alt=sse`: one array of responses, of which the last has all counts. */
function readParts(parts: readonly unknown[], hints: Hints): Reading | null {
  for (const part of parts.toReversed()) {
    const reading = isFields(part) && isFields(part['usageMetadata']) ? readResponse(part, hints) : null;
    if (reading !== null) return reading;
  }
  return null;
}

/** A background response is billed when it is done. */
function isPending(body: Fields): boolean {
  return body['object'] === 'response' && (body['status'] === 'queued' || body['status'] === 'in_progress');
}

const COUNTS = [
  'prompt_tokens',
  'input_tokens',
  'promptTokenCount',
  'prompt_token_count',
  'inputTokens',
  'total_tokens',
  'billed_units',
];

export function usageOf(body: Fields): Fields | null {
  for (const name of ['usage', 'usageMetadata', 'usage_metadata']) if (isFields(body[name])) return body[name];
  return COUNTS.some((name) => name in body) ? body : null;
}

const ID_OWNERS: readonly [RegExp, string][] = [
  [/^(chatcmpl-|resp_|cmpl-)/, 'openai'],
  [/^msg_/, 'anthropic'],
  [/^gen-/, 'openrouter'],
];
const MODEL_OWNERS: readonly [RegExp, string][] = [
  [/claude/, 'anthropic'],
  [/^(models\/)?(gemini|imagen|veo)/, 'google'],
  [/^(gpt|o\d|chatgpt|text-embedding|dall-e|whisper|tts|ft:|codex|computer-use)/, 'openai'],
  [/^deepseek/, 'deepseek'],
  [/^grok/, 'xai'],
  [/^(mistral|codestral|ministral|magistral|pixtral|open-mi[sx]tral)/, 'mistral'],
  [/^command/, 'cohere'],
  [/^sonar/, 'perplexity'],
];

/** Who answered, where no address says so: the shape of the response, its model, its id. Null: the service finds it by the model. */
export function providerOf(body: Fields, model: string | null): string | null {
  if (body['type'] === 'message' && body['role'] === 'assistant') return 'anthropic';
  if ('usageMetadata' in body || 'modelVersion' in body) return 'google';
  const name = model?.toLowerCase() ?? '';
  const id = text(body['id']) ?? '';
  return (
    MODEL_OWNERS.find(([pattern]) => pattern.test(name))?.[1] ??
    ID_OWNERS.find(([pattern]) => pattern.test(id))?.[1] ??
    null
  );
}

/** Gemini's model may come as the path of a resource. */
export function plainModel(model: string | null): string | null {
  return model === null ? null : model.replace(/^(?:projects\/.*\/)?(?:publishers\/[^/]+\/)?models\//, '');
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
