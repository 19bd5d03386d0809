/** Recognizes model calls, their provider, and whether their stream reports usage only on request. */
import type { Hints } from './read-response.ts';

export interface ProviderCall {
  readonly hints: Hints;
  /** True if streams of this endpoint report usage only on request (`stream_options.include_usage`). */
  readonly countsOnRequest: boolean;
}

/** Path suffixes of billed endpoints. A gateway's or version's prefix may precede them. */
const BILLED =
  /(?:\/chat\/completions|\/completions|\/responses|\/responses\/compact|(?<!\/threads\/[^/]+)\/messages|\/complete|\/embeddings|\/embed|\/rerank|\/chat|\/images\/(?:generations|edits|variations)|\/audio\/(?:transcriptions|translations|speech)|\/converse|\/invoke|:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|predict|rawPredict|streamRawPredict))$/;
/** Background responses are polled at this path. */
const FETCHED = /\/responses\/[^/]+$/;
const COUNTS_ON_REQUEST = /(?<!\/messages)\/(?:chat\/)?completions$/;

const HOSTS: readonly [RegExp, string][] = [
  [/(^|\.)api\.openai\.com$/, 'openai'],
  [/(^|\.)api\.anthropic\.com$/, 'anthropic'],
  [/(^|[.-])(generativelanguage|aiplatform)\.googleapis\.com$/, 'google'],
  [/\.openai\.azure\.com$|\.cognitiveservices\.azure\.com$|\.services\.ai\.azure\.com$/, 'azure'],
  [/(^|\.)api\.mistral\.ai$/, 'mistral'],
  [/(^|\.)api\.deepseek\.com$/, 'deepseek'],
  [/(^|\.)api\.groq\.com$/, 'groq'],
  [/(^|\.)api\.x\.ai$/, 'xai'],
  [/(^|\.)api\.together\.(xyz|ai)$/, 'together'],
  [/(^|\.)api\.fireworks\.ai$/, 'fireworks'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
  [/(^|\.)api\.perplexity\.ai$/, 'perplexity'],
  [/(^|\.)api\.cohere\.(com|ai)$/, 'cohere'],
  [/(^|\.)api\.moonshot\.(ai|cn)$/, 'moonshotai'],
  [/^bedrock-runtime\.[^.]+\.amazonaws\.com$/, 'aws'],
];

/** Providers that report usage in every stream and refuse unknown options. */
const COUNTS_ANYWAY: ReadonlySet<string | null> = new Set(['mistral', 'cohere', 'perplexity']);

/** Returns null if the request is not billed. `providers`: your own hosts, e.g. of a gateway. */
export function findProviderCall(
  method: string,
  url: URL,
  providers: Readonly<Record<string, string>>,
): ProviderCall | null {
  const path = url.pathname.replace(/\/+$/, '');
  const isCall = method === 'POST' ? BILLED.test(path) : method === 'GET' && FETCHED.test(path);
  if (!isCall) return null;
  const provider = providers[url.host] ?? HOSTS.find(([pattern]) => pattern.test(url.hostname))?.[1] ?? null;
  return {
    hints: { provider, model: modelInPath(path) },
    countsOnRequest: method === 'POST' && COUNTS_ON_REQUEST.test(path) && !COUNTS_ANYWAY.has(provider),
  };
}

function modelInPath(path: string): string | undefined {
  const [, model] = /\/(?:models|model|deployments)\/([^/:]+)/.exec(path) ?? [];
  return model === undefined ? undefined : decodeURIComponent(model);
}

/** The model named by a request body, if it can be read. */
export function modelOf(body: unknown): string | undefined {
  if (typeof FormData !== 'undefined' && body instanceof FormData) {
    const model = body.get('model');
    return typeof model === 'string' ? model : undefined;
  }
  if (typeof body !== 'string') return undefined;
  try {
    const { model } = JSON.parse(body) as { model?: unknown };
    return typeof model === 'string' ? model : undefined;
  } catch {
    return undefined;
  }
}

const IS_STREAM = /"stream"\s*:\s*true/;
const HAS_OPTIONS = /"stream_options"\s*:/;

/** Returns a copy of the body that requests usage in the stream; null if no change is needed. */
export function withStreamUsage(body: string): string | null {
  if (!IS_STREAM.test(body)) return null;
  // A match may be the name of a tool argument, so parse the body. It cannot be within a text, where quotes are
  // escaped.
  let fields: { stream?: unknown; stream_options?: { include_usage?: unknown } | null };
  try {
    fields = JSON.parse(body) as typeof fields;
  } catch {
    return null;
  }
  if (fields.stream !== true || fields.stream_options?.include_usage === true) return null;
  // If there are no options yet, insert them and leave all other characters unchanged.
  if (!HAS_OPTIONS.test(body)) return body.replace('{', '{"stream_options":{"include_usage":true},');
  return JSON.stringify({ ...fields, stream_options: { ...fields.stream_options, include_usage: true } });
}

/** True if a chunk is the requested usage chunk: no choices, only counts. */
export function isUsageChunk(data: string): boolean {
  if (!data.includes('"usage"')) return false;
  try {
    const { choices, usage } = JSON.parse(data) as { choices?: unknown; usage?: unknown };
    return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
  } catch {
    return false;
  }
}
