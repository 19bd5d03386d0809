/**
 * Decides whether a span is a model call or contains calls. A span around calls repeats the usage of its children, so
 * counting both would count twice (decision 41). The library's own attributes decide, most specific first.
 */
import { firstText, own, type TelemetryRecord } from './telemetry-record.ts';

/** `unknown`: the attributes do not show the kind; the span may still have usage. */
export type CallKind = 'call' | 'container' | 'unknown';

export function callKind({ name, scope, attributes }: TelemetryRecord): CallKind {
  // Gemini CLI and Codex report the same calls by log records, with more counts.
  if (scope.name === 'gemini-cli' || own(attributes, CODEX_TOTAL) !== undefined) return 'container';
  // OpenRouter: the generation is the call, an attempt is part of it.
  if (name.startsWith('provider attempt')) return 'container';
  if (name === 'LLM Generation') return 'call';
  const operationId =
    firstText(attributes, ['ai.operationId']) ?? (name.startsWith('ai.') ? name.split(' ', 1)[0] : null);
  if (operationId?.startsWith('ai.')) return AI_SDK_CALL.test(operationId) ? 'call' : 'container';
  const openInference = firstText(attributes, ['openinference.span.kind'])?.toUpperCase();
  if (openInference !== undefined) return OPENINFERENCE_CALLS.has(openInference) ? 'call' : 'container';
  const operation = firstText(attributes, ['gen_ai.operation.name'])?.toLowerCase();
  if (operation !== undefined && CALLS.has(operation)) return 'call';
  if (operation !== undefined && CONTAINERS.has(operation)) return 'container';
  if (own(attributes, 'traceloop.span.kind') !== undefined) return 'container';
  const request = firstText(attributes, ['llm.request.type'])?.toLowerCase();
  if (request !== undefined && OPENLLMETRY_CALLS.has(request)) return 'call';
  const langfuse = firstText(attributes, ['langfuse.observation.type'])?.toLowerCase();
  if (langfuse !== undefined) return langfuse === 'generation' || langfuse === 'embedding' ? 'call' : 'container';
  return 'unknown';
}

const CODEX_TOTAL = 'codex.usage.total_tokens';
const AI_SDK_CALL = /\.(?:doGenerate|doStream|doEmbed|doEmbedMany|doRerank)$/;
const OPENINFERENCE_CALLS: ReadonlySet<string> = new Set(['LLM', 'EMBEDDING', 'RERANKER']);
const OPENLLMETRY_CALLS: ReadonlySet<string> = new Set(['chat', 'completion', 'embedding', 'rerank']);

/** `gen_ai.operation.name`. */
const CALLS: ReadonlySet<string> = new Set([
  'chat',
  'text_completion',
  'completion',
  // Semantic Kernel until 2024.
  'chat.completions',
  'text.completions',
  'generate_content',
  'embeddings',
  'embedding',
  'rerank',
  'image',
  'image_generation',
  'generate_image',
  'audio',
  'speech',
  'transcription',
  'responses',
]);
const CONTAINERS: ReadonlySet<string> = new Set([
  'invoke_agent',
  'invoke_workflow',
  'create_agent',
  'execute_tool',
  'execute_task',
  'plan',
  'retrieval',
  'search_memory',
]);
