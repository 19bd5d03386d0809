/** Which spans are model calls, by the attributes that libraries document. */
import { expect, it } from 'vitest';
import { callKind } from '#usage/telemetry/call-kind.ts';
import type { Attributes } from '#usage/telemetry/telemetry-record.ts';
import { aSpan } from './a-span.ts';

const OPERATIONS = {
  call: [
    'chat',
    'text_completion',
    'completion',
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
    'CHAT',
  ],
  container: [
    'invoke_agent',
    'invoke_workflow',
    'create_agent',
    'execute_tool',
    'execute_task',
    'plan',
    'retrieval',
    'search_memory',
    'Invoke_Agent',
  ],
  unknown: ['moderate'],
} as const;

type Case = readonly [kind: string, attributes: Attributes, name?: string, scope?: string];

const CASES: readonly Case[] = [
  ...Object.entries(OPERATIONS).flatMap(([kind, names]) =>
    names.map((name): Case => [kind, { 'gen_ai.operation.name': name }]),
  ),
  ['unknown', {}],
  ['container', { 'gen_ai.operation.name': 'chat' }, 'x', 'gemini-cli'],
  ['container', { 'gen_ai.operation.name': 'chat', 'codex.usage.total_tokens': 0 }],
  ['container', { 'gen_ai.operation.name': 'chat' }, 'provider attempt 1'],
  ['call', { 'openinference.span.kind': 'CHAIN' }, 'LLM Generation'],
  // The AI SDK
  ...['doGenerate', 'doStream', 'doEmbed', 'doEmbedMany', 'doRerank'].map(
    (act) => ['call', { 'ai.operationId': `ai.generateText.${act}` }] as const,
  ),
  ['container', { 'ai.operationId': 'ai.generateText' }],
  ['container', { 'ai.operationId': 'ai.toolCall' }],
  ['container', { 'ai.operationId': 'ai.streamText', 'gen_ai.operation.name': 'chat' }],
  ['call', {}, 'ai.streamText.doStream my-function'],
  ['container', {}, 'ai.streamText my-function'],
  ['container', { 'ai.operationId': 'ai.streamText' }, 'ai.streamText.doStream'],
  ['call', { 'ai.operationId': 'other', 'gen_ai.operation.name': 'chat' }],
  // OpenInference
  ['call', { 'openinference.span.kind': 'LLM' }],
  ['call', { 'openinference.span.kind': 'EMBEDDING' }],
  ['call', { 'openinference.span.kind': 'RERANKER' }],
  ['call', { 'openinference.span.kind': 'llm', 'gen_ai.operation.name': 'invoke_agent' }],
  ['container', { 'openinference.span.kind': 'CHAIN', 'gen_ai.operation.name': 'chat' }],
  ['container', { 'openinference.span.kind': 'AGENT' }],
  // openllmetry
  ...['chat', 'completion', 'embedding', 'rerank', 'Chat'].map(
    (type) => ['call', { 'llm.request.type': type }] as const,
  ),
  ['unknown', { 'llm.request.type': 'other' }],
  ['container', { 'traceloop.span.kind': 'workflow', 'llm.request.type': 'chat' }],
  ['call', { 'traceloop.span.kind': 'workflow', 'gen_ai.operation.name': 'chat' }],
  // Langfuse
  ['call', { 'langfuse.observation.type': 'generation' }],
  ['call', { 'langfuse.observation.type': 'EMBEDDING' }],
  ['container', { 'langfuse.observation.type': 'span' }],
  ['call', { 'langfuse.observation.type': 'span', 'llm.request.type': 'chat' }],
];

it.each(CASES.map(([kind, attributes, name = 'x', scope = 'acme']) => ({ kind, attributes, name, scope })))(
  '$kind: $attributes $name $scope',
  ({ kind, attributes, name, scope }) => {
    expect(callKind(aSpan(attributes, { name, scope }))).toBe(kind);
  },
);
