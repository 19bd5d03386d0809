/**
 * Finds the response in a request item: by itself, within fields of an event, in a line of batch results, or in a line
 * of an agent's transcript.
 */
import { type Fields, isObject, objectOf } from '#kernel/json/json-object.ts';
import { isGeneration } from './openrouter-generation.ts';

export interface UnwrappedResponse {
  /** Fields around the response; the outermost take precedence. Null if the response was sent by itself. */
  readonly around: Fields | null;
  readonly response: Fields;
  /** The response and everything around it. */
  readonly holders: readonly Fields[];
  /** Batch results are billed at the batch price. */
  readonly isBatch: boolean;
  /** A failed call of a batch has no usage. */
  readonly isFailed: boolean;
}

/**
 * OpenAI and Mistral: `response.body`; Anthropic: `result.message`; Bedrock: `modelOutput`; xAI:
 * `batch_result.response.chat_get_completion`; a transcript: `message`.
 */
export const WRAPPERS: readonly string[] = [
  'response',
  'body',
  'result',
  'message',
  'modelOutput',
  'batch_result',
  'chat_get_completion',
];
/** Names of the usage object in a response. */
export const USAGE_OBJECTS: readonly string[] = [
  'totalUsage',
  'usage',
  'usageMetadata',
  'usage_metadata',
  'usage_info',
  'meta',
];
/** Ollama puts its counts next to the message. */
const OWN_COUNTS: readonly string[] = ['prompt_eval_count', 'eval_count'];
const LEVELS_MAX = 4;

export function unwrapResponse(sent: unknown): UnwrappedResponse {
  let response = objectOf(sent);
  let around: Fields | null = null as Fields | null;
  const holders = [response];
  let isBatch = false;
  let isFailed = isFailure(response);
  for (let level = 0; level < LEVELS_MAX; level++) {
    const inner = innerOf(response);
    if (inner === null) break;
    isBatch ||= isBatchLine(response, inner);
    around = { ...response, ...around };
    response = inner;
    holders.push(inner);
    isFailed ||= isFailure(response) || (isBatch && Boolean(response['error']));
  }
  return { around, response, holders, isBatch, isFailed };
}

/** A `message` next to a usage is part of the response itself, as in Cohere's responses. */
function innerOf(outer: Fields): Fields | null {
  if (isGeneration(objectOf(outer['data']))) return objectOf(outer['data']);
  const hasUsage =
    USAGE_OBJECTS.some((name) => isObject(outer[name])) || OWN_COUNTS.some((name) => outer[name] !== undefined);
  const name = (hasUsage ? ['response'] : WRAPPERS).find((each) => isObject(outer[each]));
  if (name === undefined) return null;
  const inner = objectOf(outer[name]);
  if (!hasUsage || [...USAGE_OBJECTS, ...WRAPPERS].some((each) => isObject(inner[each]))) return inner;
  // The AI SDK's result has its usage next to the response.
  const beside = [...USAGE_OBJECTS, 'providerMetadata'].flatMap((each) =>
    isObject(outer[each]) ? [[each, outer[each]]] : [],
  );
  return { ...inner, ...(Object.fromEntries(beside) as Fields) };
}

function isBatchLine(line: Fields, inner: Fields): boolean {
  const isGemini = isObject(inner['usageMetadata']) && (line['key'] ?? line['processed_time']) !== undefined;
  return isGemini || line['custom_id'] !== undefined || (line['recordId'] ?? line['batch_request_id']) !== undefined;
}

function isFailure(line: Fields): boolean {
  const { type, status_code, error } = line;
  const isAnswered = WRAPPERS.some((name) => isObject(line[name]));
  if (typeof status_code === 'number' && status_code >= 400) return true;
  if (['errored', 'canceled', 'expired'].some((one) => one === type) && !isAnswered) return true;
  return (line['custom_id'] ?? line['batch_request_id']) !== undefined && !isAnswered && Boolean(error);
}
