/** Finds the usage object of a provider's response, in any position where an API puts it. */
import { type Fields, isObject, objectOf } from '#kernel/json/json-object.ts';
import { rawCounts } from '../counts/raw-counts.ts';
import { countOrNull, valueAt } from '../counts/value-at.ts';
import { usageOfMetadata } from '../telemetry/ai-sdk-metadata.ts';
import { generationUsage } from './openrouter-generation.ts';

const PATHS: readonly (readonly string[])[] = [
  ['usage'],
  ['totalUsage'],
  ['usageMetadata'],
  ['usage_metadata'],
  ['usage_info'],
  ['tokenUsage'],
  ['response_metadata', 'token_usage'],
  ['response_metadata', 'usage'],
  // Cohere: embeddings, rerankings and its first chat API
  ['meta'],
  ['amazon-bedrock-invocationMetrics'],
  // The last event of a stream of Bedrock's Converse
  ['metadata', 'usage'],
  // The last event of a stream of Groq
  ['x_groq', 'usage'],
];

/**
 * Null if the response has none. An object without counts is returned unchanged, so that the error message can refer to
 * it.
 */
export function usageOfResponse(response: Fields): Fields | null {
  // The AI SDK: `usage` counts only the last step.
  const ofAllSteps = response['totalUsage'];
  if (isObject(ofAllSteps) && !isSame(ofAllSteps, response['usage'])) return ofAllSteps;
  const found = PATHS.map((place) => valueAt(response, place)).find(isObject);
  const usage =
    found ??
    generationUsage(response) ??
    ownCounts(response) ??
    listedCounts(response) ??
    headerCounts(response) ??
    durationOf(response);
  return usage === null ? null : withProviderMetadata(usage, objectOf(response['providerMetadata']));
}

/** Models of Bedrock and Ollama put counts at the top level of their responses; also used for a usage object sent by itself. */
const OWN_COUNTS: readonly string[] = [
  'prompt_eval_count',
  'eval_count',
  'inputTextTokenCount',
  'prompt_token_count',
  'generation_token_count',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
];

function ownCounts(response: Fields): Fields | null {
  const own = Object.fromEntries(OWN_COUNTS.flatMap((name) => (name in response ? [[name, response[name]]] : [])));
  if (Object.keys(own).length === 0) return null;
  const { input } = rawCounts(own);
  // Titan's text models count the output of each result.
  const results = sumOf(response['results'], ['tokenCount']);
  if ('inputTextTokenCount' in own && input !== null) return { inputTokens: input, outputTokens: results ?? 0 };
  return own;
}

/** Embeddings of Vertex AI, as its API and Google's SDKs return them: each has its own statistics. */
function listedCounts(response: Fields): Fields | null {
  const tokens =
    sumOf(response['predictions'], ['embeddings', 'statistics', 'token_count']) ??
    sumOf(response['embeddings'], ['statistics', 'token_count']) ??
    sumOf(response['embeddings'], ['statistics', 'tokenCount']);
  return tokens === null ? null : { total_tokens: tokens };
}

function sumOf(list: unknown, path: readonly string[]): number | null {
  if (!Array.isArray(list)) return null;
  const counts = list.flatMap((each) => countOrNull(valueAt(each, path)) ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/** Bedrock returns the token counts of every model in its headers. */
function headerCounts(response: Fields): Fields | null {
  const headers = headersOf(response);
  const counts = Object.entries(HEADERS).flatMap(([header, name]) => {
    const count = headers[`x-amzn-bedrock-${header}-token-count`];
    return count === undefined ? [] : [[name, count]];
  });
  return counts.length === 0 ? null : (Object.fromEntries(counts) as Fields);
}

/** Whisper's `verbose_json` states only the duration of the audio, in seconds. */
function durationOf({ task, duration }: Fields): Fields | null {
  const isTranscription = task === 'transcribe' || task === 'translate';
  return isTranscription && typeof duration === 'number' && duration > 0
    ? { type: 'duration', seconds: duration }
    : null;
}

/** Headers by their names in lower case. */
export function headersOf(response: Fields): Fields {
  const sent = {
    ...objectOf(response['headers']),
    ...objectOf(valueAt(response, ['ResponseMetadata', 'HTTPHeaders'])),
  };
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
}

const HEADERS: Readonly<Record<string, string>> = {
  input: 'inputTokens',
  output: 'outputTokens',
  'cache-read-input': 'cacheReadInputTokens',
  'cache-write-input': 'cacheWriteInputTokens',
};

function withProviderMetadata(usage: Fields, metadata: Fields): Fields {
  const { input, output } = rawCounts(usage);
  const isDetailed = isObject(usage['inputTokenDetails']) || isObject(usage['inputTokens']);
  const cacheRead = countOrNull(usage['cachedInputTokens']);
  return usageOfMetadata(metadata, { input, output, cacheRead, isDetailed }) ?? usage;
}

function isSame(one: Fields, other: unknown): boolean {
  return other === undefined || JSON.stringify(one) === JSON.stringify(other);
}
