/**
 * The convention by which each library counts tokens. The same attribute has several meanings: from some version on, a
 * library may include cached tokens in its input count. Facts are from the libraries' own sources and change logs.
 * Counts from libraries not listed here are not trusted (decision 41).
 */
import type { Convention } from '../counts/usage-shapes.ts';
import { AI_SDK_DETAILS } from './call-usage.ts';
import { own, type TelemetryRecord } from './telemetry-record.ts';

interface ScopeReading {
  readonly scope: RegExp;
  /** The row applies from this version on. The rows of a scope are sorted newest first. */
  readonly since?: string;
  /** `provider`: the library uses the convention of the provider's own API. */
  readonly convention: Convention | 'provider';
}

/** The tracer of the AI SDK from version 7 on: @ai-sdk/otel. */
export const AI_SDK_7 = /^(?:gen_ai|@ai-sdk\/otel)$/;

export const SCOPE_READINGS: readonly ScopeReading[] = [
  // openllmetry: Python adds cached tokens to the input, JavaScript passes on Anthropic's own counts.
  { scope: /^opentelemetry\.instrumentation\.anthropic$/, convention: 'inclusive' },
  {
    scope: /^opentelemetry\.instrumentation\.(?:openai|openai_v2|cohere|mistralai|groq)(?:\.|$)/,
    convention: 'inclusive',
  },
  {
    scope: /^opentelemetry\.instrumentation\.(?:langchain|litellm|google_generativeai|vertexai|openai_agents)$/,
    convention: 'inclusive',
  },
  { scope: /^opentelemetry\.instrumentation\.(?:bedrock|llamaindex)$/, convention: 'provider' },
  { scope: /^@traceloop\/instrumentation-anthropic$/, convention: 'provider' },
  { scope: /^@traceloop\/instrumentation-openai$/, convention: 'inclusive' },
  // openinference: 0.1.14 has the change "include cache tokens in prompt tokens for anthropic".
  { scope: /^openinference\.instrumentation\.anthropic$/, since: '0.1.14', convention: 'inclusive' },
  { scope: /^openinference\.instrumentation\.anthropic$/, convention: 'exclusive' },
  { scope: /^openinference\.instrumentation\.openai(?:_agents)?$/, convention: 'inclusive' },
  {
    scope: /^openinference\.instrumentation\.(?:langchain|litellm|llama_index|google_genai|crewai)$/,
    convention: 'inclusive',
  },
  { scope: /^openinference\.instrumentation\.agno$/, convention: 'provider' },
  {
    scope: /^@arizeai\/openinference-instrumentation-(?:openai|anthropic|langchain|langchain-v0|openai-agents)$/,
    convention: 'inclusive',
  },
  { scope: /^@arizeai\/openinference-instrumentation-bedrock$/, convention: 'provider' },
  { scope: /^@opentelemetry\/instrumentation-openai$/, convention: 'inclusive' },
  // Gateways and frameworks that normalize the counts of all providers.
  { scope: /^litellm$/, convention: 'inclusive' },
  { scope: /^pydantic-ai$/, convention: 'inclusive' },
  { scope: /^openrouter$/, convention: 'inclusive' },
  // Google's Agent Development Kit.
  { scope: /^gcp\.vertex\.agent$/, convention: 'inclusive' },
  { scope: AI_SDK_7, convention: 'inclusive' },
];

/** From this version on, the semantic conventions include cached tokens in the input. */
const INCLUSIVE_SCHEMA = '1.40.0';
const SCHEMA = /\/schemas\/(\d+\.\d+\.\d+)$/;

/** Null if the convention is unknown. */
export function scopeReading({ scope, attributes, name }: TelemetryRecord): Convention | 'provider' | null {
  if (isOfAiSdk({ scope, name })) {
    // The Vercel AI SDK does not report its version. From version 6 on it reports input details, and its counts include
    // everything; earlier versions report the provider's own counts.
    const hasDetails = Object.keys(attributes).some((key) => key.startsWith(AI_SDK_DETAILS));
    return hasDetails ? 'inclusive' : 'provider';
  }
  if (name === 'LLM Generation' && own(attributes, 'gen_ai.usage.total_tokens') !== undefined) return 'inclusive';
  for (const row of SCOPE_READINGS) {
    if (!row.scope.test(scope.name)) continue;
    if (row.since === undefined || isAtLeast(scope.version, row.since)) return row.convention;
  }
  const schema = SCHEMA.exec(scope.schemaUrl)?.[1];
  return schema !== undefined && isAtLeast(schema, INCLUSIVE_SCHEMA) ? 'inclusive' : null;
}

/**
 * True if the names of the cached tokens are those of a convention that includes them in the input: OpenTelemetry's,
 * OpenInference's or Sentry's. A library may use these names and count differently.
 */
export function namesCacheWithin({ attributes }: Pick<TelemetryRecord, 'attributes'>): boolean {
  return WITHIN.some((name) => own(attributes, name) !== undefined);
}

const WITHIN: readonly string[] = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.input_tokens.cached',
  'llm.token_count.prompt_details.cache_read',
  'llm.token_count.prompt_details.cache_write',
];

/** True for a span of the AI SDK's own tracer, up to version 6. */
export function isOfAiSdk({ scope, name }: Pick<TelemetryRecord, 'scope' | 'name'>): boolean {
  return scope.name === 'ai' || name.startsWith('ai.');
}

/** A version that is not a sequence of numbers counts as older than every other. */
function isAtLeast(version: string, least: string): boolean {
  const parts = numbersOf(version);
  const wanted = numbersOf(least);
  for (let at = 0; at < 3; at++) {
    const difference = (parts[at] ?? -1) - (wanted[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(version);
  return match === null ? [] : match.slice(1).map((part) => Number(part ?? 0));
}
