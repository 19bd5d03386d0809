/** Reads a provider's response: provider, model and usage object. */
import { type BilledTools, countBilledTools } from './count-billed-tools.generated.ts';

export interface Reading {
  readonly provider: string | null;
  /** Null if the provider sends none; then a key is generated. */
  readonly id: string | null;
  readonly model: string | null;
  /** The provider's usage object, unchanged. */
  readonly usage: Readonly<Record<string, unknown>> | null;
  readonly serviceTier: string | null;
  /** Tool calls that are billed in addition to tokens. */
  readonly billedTools?: BilledTools | undefined;
  /** False if the response ended early; then the fields contain what was known by then. */
  readonly isWhole: boolean;
  /** Estimated tokens of a response that ended early, from the text seen. */
  readonly estimate?: { readonly input: number; readonly output: number } | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Facts from the request, used if the response lacks them. */
export interface Hints {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** The request, for estimates. Parsed only if the response ends early. */
  readonly request?: unknown;
}

/** Returns null if the body is not a model response, or not billed yet. */
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
    serviceTier: tierOf(body),
    billedTools: countBilledTools(body),
    isWhole: true,
  };
}

/** Bedrock's Converse API returns an object with the tier in `type`. */
export function tierOf({ service_tier: tier, serviceTier: ofBedrock }: Fields): string | null {
  return text(tier) ?? (isFields(ofBedrock) ? text(ofBedrock['type']) : null);
}

/** Reads Gemini's stream without `alt=sse`: an array of responses, of which the last has the final counts. */
function readParts(parts: readonly unknown[], hints: Hints): Reading | null {
  for (const part of parts.toReversed()) {
    const reading = isFields(part) && isFields(part['usageMetadata']) ? readResponse(part, hints) : null;
    if (reading !== null) return { ...reading, billedTools: parts.map(countBilledTools).reduce(largestCounts, {}) };
  }
  return null;
}

/** Parts of a response repeat the same tool calls, so the largest count of each kind is the total. */
export function largestCounts(one: BilledTools, other: BilledTools): BilledTools {
  const counts: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) counts[name] = Math.max(counts[name] ?? 0, count);
  return counts;
}

/** A background response is billed only when complete. */
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

/** The usage object of a response, or the response itself if it contains the counts. Null without counts. */
export function usageOf(body: Fields): Fields | null {
  for (const name of ['usage', 'usageMetadata', 'usage_metadata']) {
    const usage = body[name];
    // Bedrock reports the latency mode next to the usage object.
    const { performanceConfig } = body;
    if (isFields(usage)) return isFields(performanceConfig) ? { ...usage, performanceConfig } : usage;
  }
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

/**
 * Infers the provider from the response's shape, model or id, if its host is unknown. If null, the service infers it
 * from the model.
 */
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

/** Removes the resource path from a Gemini model name. */
export function plainModel(model: string | null): string | null {
  return model === null ? null : model.replace(/^(?:projects\/.*\/)?(?:publishers\/[^/]+\/)?models\//, '');
}

/** Null for anything but a non-empty string. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
