/**
 * Costs of calls that frameworks report as spans, with counts in JSON, tools that the provider ran, or stated costs.
 * Prices are the published ones.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, sendTo, traces, unsignedKey } from '../../support/telemetry.ts';

interface Case {
  readonly what: string;
  readonly scope?: string;
  readonly name?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** USD. */
  readonly cost: string;
  /** A part of the reading's text, which says why the cost is a guess. */
  readonly guessed?: string;
}

/** 26 November 2026. */
const AT_MS = 1_795_694_400_000;

const langfuse = (model: string, usage: object, more: object = {}) => ({
  scope: 'langfuse-sdk',
  name: 'generation',
  attributes: {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.model.name': model,
    'langfuse.observation.usage_details': JSON.stringify(usage),
    ...more,
  },
});
const costs = (details: object) => ({ 'langfuse.observation.cost_details': JSON.stringify(details) });

const aiSdk = (provider: string, model: string, usage: readonly [number, number], more: object = {}) => ({
  scope: 'ai',
  name: 'ai.generateText.doGenerate',
  attributes: {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.provider': provider,
    'ai.model.id': model,
    'ai.usage.inputTokens': usage[0],
    'ai.usage.outputTokens': usage[1],
    ...more,
  },
});
const aiSdk4 = (provider: string, model: string, usage: readonly [number, number], more: object = {}) => ({
  scope: 'ai',
  name: 'ai.generateText.doGenerate',
  attributes: {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.provider': provider,
    'ai.model.id': model,
    'ai.usage.promptTokens': usage[0],
    'ai.usage.completionTokens': usage[1],
    'gen_ai.usage.input_tokens': usage[0],
    'gen_ai.usage.output_tokens': usage[1],
    ...more,
  },
});
const aiSdk7 = (provider: string, model: string, usage: readonly [number, number], more: object = {}) => ({
  scope: 'gen_ai',
  name: `chat ${model}`,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': usage[0],
    'gen_ai.usage.output_tokens': usage[1],
    ...more,
  },
});
const metadata = (providers: object) => ({ 'ai.response.providerMetadata': JSON.stringify(providers) });
const toolCalls = (...calls: readonly object[]) => ({
  'ai.response.toolCalls': JSON.stringify(
    calls.map((call, index) => ({ toolCallId: `t${index}`, input: {}, ...call })),
  ),
});
const ran = (toolName: string, more: object = {}) => ({ toolName, providerExecuted: true, ...more });
const messages = (...parts: readonly object[]) => ({
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts, finish_reason: 'stop' }]),
});

// GPT-5 mini: 0.25, cached 0.025, output 2. Claude Sonnet 4.6: 3, cache reads 0.3, writes 3.75 (one hour 6), output 15.
const CASES: readonly Case[] = [
  {
    what: 'Langfuse: OpenAI usage object',
    ...langfuse('gpt-5-mini', {
      prompt_tokens: 10_000,
      completion_tokens: 500,
      total_tokens: 10_500,
      prompt_tokens_details: { cached_tokens: 8000 },
      completion_tokens_details: { reasoning_tokens: 300 },
    }),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: usage object of the Responses API',
    ...langfuse('gpt-5-mini', {
      input_tokens: 10_000,
      output_tokens: 500,
      total_tokens: 10_500,
      input_tokens_details: { cached_tokens: 8000 },
      output_tokens_details: { reasoning_tokens: 300 },
    }),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: kinds of tokens that do not overlap, with their sum',
    ...langfuse('gpt-5-mini', {
      input: 2000,
      input_cached_tokens: 8000,
      output: 200,
      output_reasoning_tokens: 300,
      total: 10_500,
    }),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: kinds of tokens without a sum',
    ...langfuse('gpt-5-mini', { input: 2000, input_cached_tokens: 8000, output: 200, output_reasoning_tokens: 300 }),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: a sum that shows that the sender counted cached tokens into the input',
    ...langfuse('gpt-5-mini', { input: 10_000, input_cached_tokens: 8000, output: 500, total: 10_500 }),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: counts preferred to attributes whose meaning is not known',
    ...langfuse(
      'gpt-5-mini',
      { input: 2000, input_cached_tokens: 8000, output: 500 },
      { 'gen_ai.usage.input_tokens': 10_000, 'gen_ai.usage.output_tokens': 500 },
    ),
    cost: '0.0017',
  },
  {
    what: 'Langfuse: Claude with cache reads and writes',
    ...langfuse('claude-sonnet-4-6', {
      input: 10,
      output: 100,
      cache_read_input_tokens: 20_000,
      cache_creation_input_tokens: 1000,
    }),
    cost: '0.01128',
  },
  {
    what: 'Langfuse: Anthropic usage object',
    ...langfuse('claude-sonnet-4-6', {
      input_tokens: 10,
      output_tokens: 100,
      cache_read_input_tokens: 20_000,
      cache_creation_input_tokens: 1000,
    }),
    cost: '0.01128',
  },
  {
    what: 'Langfuse with LangChain: one-hour cache writes',
    ...langfuse('claude-sonnet-4-6', {
      input: 10,
      input_cache_read: 20_000,
      input_cache_creation: 0,
      input_ephemeral_1h_input_tokens: 1000,
      output: 100,
      total: 21_110,
    }),
    cost: '0.01353',
  },
  {
    what: 'Langfuse: a count with an unknown meaning',
    ...langfuse('gpt-4o-mini', { input: 1000, output: 1000, some_other_tokens: 10 }),
    cost: '0.00075',
    guessed: 'some_other_tokens',
  },
  {
    what: 'Langfuse: counts that contradict their sum',
    ...langfuse('gpt-4o-mini', { input: 1000, output: 1000, total: 5000 }),
    cost: '0.00075',
    guessed: 'total',
  },
  {
    what: 'Langfuse: costs that agree with ours',
    ...langfuse('gpt-4o-mini', { input: 1000, output: 1000 }, costs({ input: 0.00015, output: 0.0006 })),
    cost: '0.00075',
  },
  {
    what: 'Langfuse: a total cost that differs from ours',
    ...langfuse('gpt-4o-mini', { input: 1000, output: 1000 }, costs({ input: 0.00015, output: 0.0006, total: 0.05 })),
    cost: '0.00075',
    guessed: 'the sender states a cost of 0.05; by the rate card it is 0.00075',
  },
  {
    what: 'Langfuse: the tier among the parameters of the model',
    ...langfuse(
      'gpt-5-mini',
      { input: 1000, output: 1000 },
      { 'langfuse.observation.model.parameters': JSON.stringify({ service_tier: 'priority', temperature: 0 }) },
    ),
    cost: '0.00405',
  },
  {
    what: 'Langfuse: an embedding',
    ...langfuse('text-embedding-3-large', { input: 28_000 }, { 'langfuse.observation.type': 'embedding' }),
    cost: '0.00364',
  },
  {
    what: 'AI SDK 6: searches of Claude in its own usage object',
    ...aiSdk('anthropic.messages', 'claude-sonnet-4-6', [1000, 100], {
      ...metadata({
        anthropic: { usage: { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } } },
      }),
      ...toolCalls({ toolName: 'web_search' }, { toolName: 'web_search' }),
    }),
    cost: '0.0245',
  },
  {
    what: 'AI SDK: searches that OpenAI ran, and one page that it opened',
    ...aiSdk(
      'openai.responses',
      'gpt-5-mini',
      [18_000, 900],
      toolCalls(ran('web_search'), ran('web_search'), ran('web_search', { input: { action: { type: 'open_page' } } })),
    ),
    cost: '0.0263',
  },
  {
    what: 'AI SDK: a search by a name that OpenAI uses, which the span does not attribute',
    ...aiSdk('openai.responses', 'gpt-5-mini', [18_000, 900], toolCalls({ toolName: 'web_search' })),
    cost: '0.0063',
    guessed: 'server_tools',
  },
  {
    what: 'AI SDK: a search of the caller',
    ...aiSdk(
      'openai.responses',
      'gpt-5-mini',
      [18_000, 900],
      toolCalls({ toolName: 'web_search', providerExecuted: false }),
    ),
    cost: '0.0063',
  },
  {
    what: 'AI SDK: a tool of the caller',
    ...aiSdk('openai.responses', 'gpt-5-mini', [18_000, 900], toolCalls({ toolName: 'getWeather' })),
    cost: '0.0063',
  },
  {
    what: 'AI SDK: tools that xAI ran',
    ...aiSdk(
      'xai.responses',
      'grok-4-fast-reasoning',
      [10_000, 800],
      toolCalls(ran('web_search'), ran('web_search'), ran('web_search'), ran('x_search')),
    ),
    cost: '0.0224',
  },
  {
    what: 'AI SDK: a tool of the provider without a price',
    ...aiSdk('openai.responses', 'gpt-5-mini', [18_000, 900], toolCalls(ran('image_generation'))),
    cost: '0.0063',
    guessed: 'generated_images',
  },
  {
    what: 'AI SDK: two different queries of Gemini 3, with what they found',
    ...aiSdk(
      'google.generative-ai',
      'gemini-3-flash-preview',
      [1200, 300],
      metadata({
        google: {
          groundingMetadata: {
            webSearchQueries: ['price of tin', 'price of zinc', 'price of tin'],
            searchEntryPoint: { renderedContent: 'x'.repeat(40_000) },
          },
          usageMetadata: {
            promptTokenCount: 1200,
            candidatesTokenCount: 300,
            thoughtsTokenCount: 100,
            totalTokenCount: 1600,
          },
        },
      }),
    ),
    cost: '0.0298',
  },
  {
    what: 'AI SDK: the tier of the response',
    ...aiSdk('openai.responses', 'gpt-5-mini', [1000, 1000], metadata({ openai: { serviceTier: 'priority' } })),
    cost: '0.00405',
  },
  {
    what: 'AI SDK: a cost of the gateway that differs from ours',
    ...aiSdk('gateway', 'openai/gpt-5-mini', [1000, 1000], metadata({ gateway: { cost: '0.5' } })),
    cost: '0.00225',
    guessed: 'the sender states a cost of 0.5',
  },
  {
    what: 'AI SDK 6: nested counts',
    ...aiSdk('openai.responses', 'gpt-5-mini', [10_000, 500], {
      'ai.response.usage': JSON.stringify({
        inputTokens: { total: 10_000, noCache: 2000, cacheRead: 8000, cacheWrite: 0 },
        outputTokens: { total: 500, text: 200, reasoning: 300 },
      }),
    }),
    cost: '0.0017',
  },
  {
    what: 'AI SDK 4: cached tokens of Claude in the metadata',
    ...aiSdk4(
      'anthropic.messages',
      'claude-sonnet-4-6',
      [10, 100],
      metadata({ anthropic: { cacheCreationInputTokens: 1000, cacheReadInputTokens: 20_000 } }),
    ),
    cost: '0.01128',
  },
  {
    what: 'AI SDK 4: cached tokens of OpenAI in the metadata',
    ...aiSdk4(
      'openai.chat',
      'gpt-5-mini',
      [10_000, 500],
      metadata({ openai: { cachedPromptTokens: 8000, reasoningTokens: 300 } }),
    ),
    cost: '0.0017',
  },
  {
    what: 'AI SDK 5: cache writes of Bedrock in the metadata',
    ...aiSdk('amazon-bedrock', 'global.anthropic.claude-sonnet-4-6', [10, 100], {
      'ai.usage.cachedInputTokens': 20_000,
      ...metadata({ bedrock: { usage: { cacheWriteInputTokens: 1000 } } }),
    }),
    cost: '0.01128',
  },
  {
    what: 'AI SDK 7: a search that the provider answered within its message',
    ...aiSdk7(
      'openai',
      'gpt-5-mini',
      [18_000, 900],
      messages(
        { type: 'tool_call', id: 'w1', name: 'web_search', arguments: {} },
        { type: 'tool_call_response', id: 'w1', response: { action: { type: 'search' } } },
        { type: 'tool_call', id: 'w2', name: 'web_search', arguments: {} },
        { type: 'tool_call_response', id: 'w2', response: { action: { type: 'openPage' } } },
      ),
    ),
    cost: '0.0163',
  },
  {
    what: 'AI SDK 7: searches in its copy of the usage object',
    ...aiSdk7('anthropic', 'claude-sonnet-4-6', [1000, 100], {
      'gen_ai.usage.raw.server_tool_use.web_search_requests': 2,
    }),
    cost: '0.0245',
  },
  {
    what: 'Pydantic AI: a tool of the provider, as OpenTelemetry names it',
    ...aiSdk7(
      'openai',
      'gpt-5-mini',
      [18_000, 900],
      messages({ type: 'server_tool_call', id: 'w1', name: 'web_search', server_tool_call: { type: 'web_search' } }),
    ),
    scope: 'pydantic-ai',
    cost: '0.0163',
  },
  {
    what: 'OpenTelemetry: a tool call that is the caller’s by its type',
    ...aiSdk7(
      'openai',
      'gpt-5-mini',
      [18_000, 900],
      messages({ type: 'tool_call', id: 'w1', name: 'web_search', arguments: {} }),
    ),
    scope: 'pydantic-ai',
    cost: '0.0063',
  },
];

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

const FIELDS = 'totalCost reading reason id';

it.each(CASES)('$what', async ({ what, scope, name, attributes, cost, guessed }) => {
  const span = { scope, name, attributes: { 'user.id': what, ...attributes }, atMs: AT_MS };
  const { status, body } = await sendTo(service.url, '/otlp/v1/traces', key, traces(span as object));
  expect([status, body]).toEqual([200, {}]);
  await settle(service.url, service.firstRun.operator_token);
  const {
    receivedEvents: { nodes: receivedEvents },
  } = await operate(service, `{ receivedEvents(first: 1) { nodes { ${FIELDS} } } }`);
  const [event] = receivedEvents;
  const { costExplanation } = await operate(service, EXPLANATION, { id: event.id });
  const [entry] = costExplanation.entries;
  expect([event.totalCost, event.reading === 'guessed', entry?.tokenReading ?? event.reason]).toEqual([
    cost,
    guessed !== undefined,
    guessed === undefined ? expect.any(String) : expect.stringContaining(guessed),
  ]);
});

const EXPLANATION = 'query ($id: ID!) { costExplanation(eventId: $id) { entries { tokenReading } } }';

it('counts of an observation that is not a call are listed', async () => {
  const span = langfuse('gpt-5-mini', { input: 1000, output: 10 }, { 'langfuse.observation.type': 'span' });
  await sendTo(service.url, '/otlp/v1/traces', key, traces(span));
  const { telemetrySources } = await operate(service, '{ telemetrySources { name ignored { reason count } } }');
  expect(telemetrySources.find((one: { name: string }) => one.name === 'langfuse-sdk').ignored).toEqual([
    { reason: 'usage_without_calls', count: 1 },
  ]);
});
