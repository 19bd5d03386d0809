/**
 * Spans whose counts have the names of older conventions, of a gateway, or of an unknown library. Prices are the
 * published ones.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, sendTo, type SpanForm, traces, unsignedKey } from '../../support/telemetry.ts';

interface Case {
  readonly what: string;
  readonly scope: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** USD. */
  readonly cost: string;
  /** A part of the reading's text, which says why the cost is a guess. */
  readonly guessed?: string;
}

const GPT_4O = { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4o' };
const CHAT = { 'gen_ai.operation.name': 'chat' };
/** Cost of 1,000 input and 100 output tokens of GPT-4o, at 2.5 and 10 USD a million. */
const COST = '0.0035';

const CASES: readonly Case[] = [
  ...['Microsoft.SemanticKernel.Diagnostics', 'semantic_kernel.utils.telemetry.model_diagnostics.decorators'].map(
    (scope): Case => ({
      what: `Semantic Kernel in 2024, ${scope}`,
      scope,
      attributes: {
        ...GPT_4O,
        'gen_ai.operation.name': 'chat.completions',
        'gen_ai.response.finish_reason': 'Stop',
        'gen_ai.response.prompt_tokens': 1000,
        'gen_ai.response.completion_tokens': 100,
      },
      cost: COST,
    }),
  ),
  {
    what: 'Semantic Kernel since 2025',
    scope: 'Microsoft.SemanticKernel.Diagnostics',
    attributes: { ...GPT_4O, ...CHAT, 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 },
    cost: COST,
  },
  {
    what: 'Portkey, and the first Microsoft.Extensions.AI',
    scope: 'Experimental.Microsoft.Extensions.AI',
    attributes: { ...GPT_4O, ...CHAT, 'gen_ai.response.input_tokens': '1000', 'gen_ai.response.output_tokens': '100' },
    cost: COST,
  },
  {
    what: 'usage below the response',
    scope: 'langchain',
    attributes: {
      ...GPT_4O,
      ...CHAT,
      'gen_ai.response.usage.prompt_tokens': 1000,
      'gen_ai.response.usage.completion_tokens': 100,
      'gen_ai.response.usage.total_tokens': 1100,
    },
    cost: COST,
  },
  {
    what: 'embeddings with only a total: 0.02 USD a million',
    scope: 'agent',
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'text-embedding-3-small',
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.usage.total_tokens': 1100,
    },
    cost: '0.000022',
  },
  {
    what: 'a chat with only a total, as if all of it were input',
    scope: 'agent',
    attributes: { ...GPT_4O, ...CHAT, 'gen_ai.usage.total_tokens': 1000 },
    cost: '0.0025',
    guessed: 'only a total',
  },
  {
    what: 'embeddings with zeros next to a total',
    scope: 'agent',
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'text-embedding-3-small',
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.usage.input_tokens': 0,
      'gen_ai.usage.output_tokens': 0,
      'gen_ai.usage.total_tokens': 1100,
    },
    cost: '0.000022',
  },
  {
    what: 'a total and cached tokens: 600 at 2.5 and 400 at 1.25 USD a million',
    scope: 'agent',
    attributes: {
      ...GPT_4O,
      ...CHAT,
      'gen_ai.usage.total_tokens': 1000,
      'gen_ai.usage.cache_read.input_tokens': 400,
    },
    cost: '0.002',
    guessed: 'only a total',
  },
  ...[{ total: 1000 }, { input: 0, output: 0, total: 1000 }].map((details): Case => ({
    what: `Langfuse: a generation with ${JSON.stringify(details)}`,
    scope: 'langfuse-sdk',
    attributes: {
      ...GPT_4O,
      'langfuse.observation.type': 'generation',
      'langfuse.observation.usage_details': JSON.stringify(details),
    },
    cost: '0.0025',
    guessed: 'only a total',
  })),
  {
    what: 'Langfuse: an embedding with a total',
    scope: 'langfuse-sdk',
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'text-embedding-3-small',
      'langfuse.observation.type': 'embedding',
      'langfuse.observation.usage_details': '{"total":1100}',
    },
    cost: '0.000022',
  },
  {
    what: 'the names of the Responses API below llm.usage',
    scope: 'agent',
    attributes: {
      'llm.vendor': 'openai',
      'llm.request.model': 'gpt-4o',
      'llm.usage.input_tokens': 1000,
      'llm.usage.output_tokens': 100,
    },
    cost: COST,
  },
  {
    what: 'counts directly below llm',
    scope: 'agent',
    attributes: {
      'llm.provider': 'openai',
      'llm.model': 'gpt-4o',
      'llm.prompt_tokens': 1000,
      'llm.completion_tokens': 100,
    },
    cost: COST,
  },
  {
    what: 'Sentry before it took the semantic conventions over',
    scope: 'sentry',
    attributes: { 'ai.model_id': 'gpt-4o', 'ai.prompt_tokens.used': 1000, 'ai.completion_tokens.used': 100 },
    cost: COST,
  },
  {
    what: 'Langtrace in its first versions',
    scope: 'langtrace',
    attributes: {
      'llm.model': 'gpt-4o',
      'llm.token.counts': JSON.stringify({ input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }),
    },
    cost: COST,
  },
  {
    what: 'MLflow, which writes every attribute as JSON',
    scope: 'mlflow',
    attributes: {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.llm.model': '"gpt-4o"',
      'mlflow.llm.provider': '"openai"',
      'mlflow.chat.tokenUsage': JSON.stringify({ input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }),
    },
    cost: COST,
  },
  {
    // GPT-5 mini: 2,000 at 0.25, 8,000 cached at 0.025, 500 at 2 USD a million.
    what: 'LangSmith: the details of LangChain as JSON',
    scope: 'langsmith',
    attributes: {
      ...CHAT,
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 10_000,
      'gen_ai.usage.output_tokens': 500,
      'gen_ai.usage.total_tokens': 10_500,
      'gen_ai.usage.input_token_details': JSON.stringify({ cache_read: 8000, audio: 0 }),
      'gen_ai.usage.output_token_details': JSON.stringify({ reasoning: 300 }),
    },
    cost: '0.0017',
  },
  {
    // Gemini 2.5 Flash: 1,000 at 0.3 and 60 at 2.5 USD a million.
    what: 'Agent Development Kit: thoughts on top of the output',
    scope: 'gcp.vertex.agent',
    attributes: {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.experimental.reasoning_tokens': 10,
    },
    cost: '0.00045',
  },
  {
    what: 'Agent Development Kit since 2.3: thoughts within the output',
    scope: 'gcp.vertex.agent',
    attributes: {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 60,
      'gen_ai.usage.reasoning.output_tokens': 10,
    },
    cost: '0.00045',
  },
  {
    what: 'LiteLLM: a total cost that differs from ours',
    scope: 'litellm',
    attributes: {
      ...GPT_4O,
      ...CHAT,
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
      'gen_ai.cost.total_cost': 0.0435,
    },
    cost: COST,
    guessed: 'the sender states a cost of 0.0435',
  },
  {
    what: 'a call whose counts have names of its own',
    scope: 'acme',
    attributes: {
      ...GPT_4O,
      ...CHAT,
      'acme.llm.promptTokens': 1000,
      'acme.llm.completionTokens': 100,
      'gen_ai.request.max_output_tokens': 4096,
    },
    cost: COST,
    guessed: 'acme.llm.promptTokens, acme.llm.completionTokens',
  },
];

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

async function send(span: SpanForm): Promise<void> {
  const { status, body } = await sendTo(service.url, '/otlp/v1/traces', key, traces(span));
  expect([status, body]).toEqual([200, {}]);
}

describe('a span with counts', () => {
  it.each(CASES)('a span with counts of $what costs $cost', async ({ what, scope, attributes, cost, guessed }) => {
    await send({ scope, attributes: { 'user.id': what, ...attributes }, atMs: Date.parse('2026-11-26T12:00:00Z') });
    await settle(service.url, service.firstRun.operator_token);
    const { receivedEvents } = await operate(
      service,
      '{ receivedEvents(first: 1) { nodes { id endUserExternalId totalCost reason } } }',
    );
    const [event] = receivedEvents.nodes;
    expect([event.endUserExternalId, event.totalCost, event.reason]).toEqual([what, cost, null]);
    const { costExplanation } = await operate(service, EXPLANATION, { id: event.id });
    const [entry] = costExplanation.entries;
    expect([entry.reading === 'guessed', entry.tokenReading]).toEqual([
      guessed !== undefined,
      expect.stringContaining(guessed ?? ''),
    ]);
  });
});

const EXPLANATION = 'query ($id: ID!) { costExplanation(eventId: $id) { entries { reading tokenReading } } }';

it.each([
  ['Gemini CLI', 'gemini-cli', { 'gen_ai.operation.name': 'llm_call', 'gen_ai.request.model': 'gemini-2.5-pro' }],
  ['Codex', 'codex_cli_rs', { 'codex.usage.total_tokens': 1100 }],
])('spans of %s are not counted, because its log records report the same calls', async (_what, scope, attributes) => {
  const usage = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 };
  await send({ scope, name: 'call', attributes: { ...attributes, ...usage } });
  const { telemetrySources } = await operate(service, '{ telemetrySources { name ignored { reason count } } }');
  expect(telemetrySources.find((one: { name: string }) => one.name === scope)).toMatchObject({
    ignored: [{ reason: 'usage_without_calls', count: 1 }],
  });
});
