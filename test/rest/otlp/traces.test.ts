/** Spans as real libraries write them: which ones are billed, and with which counts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { newSpanId, newTraceId, operate, sendTo, type SpanForm, traces, unsignedKey } from '../../support/telemetry.ts';

let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

/** Sends spans, one request after another, and returns the new events, oldest first. */
async function billed(...requests: readonly (readonly SpanForm[])[]): Promise<any[]> {
  const [last] = await received('first: 1');
  for (const spans of requests) {
    const answer = await sendTo(service.url, '/otlp/v1/traces', key, traces(...spans));
    expect(answer).toMatchObject({ status: 200, body: {} });
  }
  await settle(service.url, service.firstRun.operator_token);
  return received(last === undefined ? 'first: 200' : `receivedAfter: "${last.id}", first: 200`);
}

async function received(args: string): Promise<any[]> {
  const {
    receivedEvents: { nodes: receivedEvents },
  } = await operate(
    service,
    `{ receivedEvents(${args}) { nodes {
      idempotencyKey model provider endUserExternalId agentId sessionId inputTokens outputTokens status totalCost reading reason metadata id
    } } }`,
  );
  return receivedEvents;
}

const chat = (more: Readonly<Record<string, unknown>> = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 1000,
  'gen_ai.usage.output_tokens': 100,
  ...more,
});

/** Claude Sonnet 4.5: $3 per million input tokens, $0.30 cached, $3.75 cache writes, $15 output. */
const claude = (more: Readonly<Record<string, unknown>> = {}) =>
  chat({
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-4-5-20250929',
    'gen_ai.usage.input_tokens': 12_000,
    'gen_ai.usage.output_tokens': 1_000,
    'gen_ai.usage.cache_read.input_tokens': 10_000,
    ...more,
  });
const INCLUSIVE = '0.024';
const EXCLUSIVE = '0.054';

describe('tasks are outcomes', () => {
  const task = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
    'traceloop.span.kind': 'task',
    'traceloop.entity.name': 'ticket_resolved',
    'gen_ai.task.id': id,
    ...more,
  });
  const outcome = async (traceId: string, spanId: string) =>
    (
      await operate(
        service,
        `{ outcome(key: "otlp:${traceId}:${spanId}") { name succeeded at task session eventCount taskCost attempts { succeeded cost } } }`,
      )
    ).outcome;

  it('tasks have the cost of the calls below them, failed attempts included; a resend changes nothing', async () => {
    const [failed, completed, failedCall, completedCall] = [newSpanId(), newSpanId(), newSpanId(), newSpanId()];
    const traceId = newTraceId();
    const first = Date.parse('2026-01-15T10:00:00Z');
    const request = traces(
      { traceId, spanId: failed, attributes: task('t-1'), atMs: first, status: 2 },
      { traceId, spanId: failedCall, parentSpanId: failed, attributes: chat(), atMs: first + 500 },
      { traceId, spanId: completed, attributes: task('t-1'), atMs: first + 60_000, status: 1 },
      { traceId, spanId: completedCall, parentSpanId: completed, attributes: chat(), atMs: first + 60_500 },
    );
    for (const _ of ['sent', 'sent again'])
      expect(await sendTo(service.url, '/otlp/v1/traces', key, request)).toMatchObject({ status: 200, body: {} });
    await settle(service.url, service.firstRun.operator_token);
    expect(await outcome(traceId, completed)).toEqual({
      name: 'ticket_resolved',
      succeeded: true,
      at: '2026-01-15T10:01:01.000Z',
      task: 't-1',
      session: null,
      eventCount: 1,
      // 1,000 input tokens of gpt-4o at $2.50 and 100 output tokens at $10 per million, twice.
      taskCost: '0.007',
      attempts: [
        { succeeded: false, cost: '0.0035' },
        { succeeded: true, cost: '0.0035' },
      ],
    });
  });

  it('unless the span has no status or no task id', async () => {
    const [traceId, unset, unnamed] = [newTraceId(), newSpanId(), newSpanId()];
    const request = traces(
      { traceId, spanId: unset, attributes: task('t-2') },
      { traceId, spanId: unnamed, attributes: task(''), status: 1 },
    );
    expect(await sendTo(service.url, '/otlp/v1/traces', key, request)).toMatchObject({ status: 200, body: {} });
    for (const spanId of [unset, unnamed]) await expect(outcome(traceId, spanId)).rejects.toThrow(/NOT_FOUND/);
  });

  it('tasks that are rejected are reported to the sender, and the others are recorded', async () => {
    const [traceId, wrong, right] = [newTraceId(), newSpanId(), newSpanId()];
    const answer = await sendTo(
      service.url,
      '/otlp/v1/traces',
      key,
      traces(
        { traceId, spanId: wrong, attributes: task('t-3', { 'ai_product_books.task.value': 'much' }), status: 1 },
        { traceId, spanId: right, attributes: task('t-3'), status: 1 },
      ),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('value must be') } },
    });
    expect(await outcome(traceId, right)).toMatchObject({ succeeded: true, task: 't-3' });
  });

  it('tasks of an impossible time are rejected, and the rest of the request is recorded', async () => {
    const [traceId, right] = [newTraceId(), newSpanId()];
    const answer = await sendTo(
      service.url,
      '/otlp/v1/traces',
      key,
      traces(
        { traceId, spanId: newSpanId(), attributes: task('t-4'), status: 1, atMs: 1e17 },
        { traceId, spanId: right, attributes: task('t-4'), status: 1 },
      ),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringMatching(/\bat\b/) } },
    });
    expect(await outcome(traceId, right)).toMatchObject({ succeeded: true, task: 't-4' });
  });
});

describe('only calls are billed', () => {
  const traceId = () => newTraceId();

  it('bills a call once, whatever surrounds it: invoke_agent and execute_tool repeat its usage', async () => {
    const [trace, agent, tool] = [traceId(), newSpanId(), newSpanId()];
    const usage = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 };
    const events = await billed([
      {
        traceId: trace,
        spanId: agent,
        attributes: chat({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' }),
      },
      {
        traceId: trace,
        parentSpanId: agent,
        spanId: tool,
        attributes: { 'gen_ai.operation.name': 'execute_tool', ...usage },
      },
      { traceId: trace, parentSpanId: agent, attributes: chat() },
    ]);
    expect(events).toMatchObject([{ totalCost: '0.0035', agentId: 'support' }]);
  });

  it('bills ai.generateText.doGenerate and not ai.generateText', async () => {
    const [trace, outer] = [traceId(), newSpanId()];
    const usage = {
      'ai.usage.promptTokens': 1000,
      'ai.usage.completionTokens': 100,
      'ai.model.id': 'gpt-4o',
      'ai.model.provider': 'openai.chat',
    };
    const inner = { ...usage, 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.id': 'chatcmpl-vercel-1' };
    const events = await billed([
      { name: 'ai.generateText.doGenerate', scope: 'ai', traceId: trace, parentSpanId: outer, attributes: inner },
      {
        name: 'ai.generateText',
        scope: 'ai',
        traceId: trace,
        spanId: outer,
        attributes: { ...usage, 'ai.operationId': 'ai.generateText' },
      },
    ]);
    expect(events).toMatchObject([
      { idempotencyKey: 'openai:chatcmpl-vercel-1', provider: 'openai', totalCost: '0.0035' },
    ]);
  });

  it('bills both doStream spans of a call in two steps', async () => {
    const [trace, outer] = [traceId(), newSpanId()];
    const usage = {
      'ai.usage.inputTokens': 1000,
      'ai.usage.outputTokens': 100,
      'ai.model.id': 'gpt-4o',
      'ai.model.provider': 'openai.responses',
    };
    const step = { name: 'ai.streamText.doStream', scope: 'ai', traceId: trace, parentSpanId: outer };
    const events = await billed([
      { ...step, attributes: { ...usage, 'ai.operationId': 'ai.streamText.doStream' } },
      { ...step, attributes: { ...usage, 'ai.operationId': 'ai.streamText.doStream' } },
      {
        name: 'ai.streamText',
        scope: 'ai',
        traceId: trace,
        spanId: outer,
        attributes: { ...usage, 'ai.usage.inputTokens': 2000, 'ai.operationId': 'ai.streamText' },
      },
    ]);
    expect(events.map(({ totalCost }) => totalCost)).toEqual(['0.0035', '0.0035']);
  });

  it('bills LLM, EMBEDDING and RERANKER of OpenInference, but not CHAIN and AGENT', async () => {
    const usage = {
      'llm.token_count.prompt': 1000,
      'llm.token_count.completion': 100,
      'llm.model_name': 'gpt-4o',
      'llm.provider': 'openai',
    };
    const kinds = ['LLM', 'EMBEDDING', 'CHAIN', 'AGENT', 'TOOL', 'RETRIEVER', 'GUARDRAIL'];
    const events = await billed(kinds.map((kind) => ({ attributes: { ...usage, 'openinference.span.kind': kind } })));
    expect(events).toHaveLength(2);
  });

  it("bills OpenRouter's generation and not its provider attempts, by the provider's own usage object", async () => {
    const [trace, outer] = [traceId(), newSpanId()];
    const raw = {
      prompt_tokens: 12_000,
      completion_tokens: 1_000,
      total_tokens: 13_000,
      prompt_tokens_details: { cached_tokens: 10_000 },
    };
    const attributes = claude({
      'gen_ai.response.id': 'gen-openrouter-1',
      'gen_ai.usage.cache_read.input_tokens': undefined,
      'gen_ai.usage.total_cost': 0.0241,
      upstream_raw_response_usage: JSON.stringify(raw),
    });
    const events = await billed([
      { name: 'LLM Generation', traceId: trace, spanId: outer, attributes },
      { name: 'provider attempt 1', traceId: trace, parentSpanId: outer, attributes },
    ]);
    expect(events).toMatchObject([
      {
        idempotencyKey: 'openrouter:gen-openrouter-1',
        totalCost: INCLUSIVE,
        reading: 'openai-chat',
        metadata: { reported_cost: '0.0241' },
      },
    ]);
  });

  it('ignores a call without tokens, and everything that is not a call', async () => {
    const http = { attributes: { 'http.request.method': 'GET' } };
    expect(await billed([http, { attributes: { 'gen_ai.operation.name': 'chat' } }])).toEqual([]);
  });

  it('bills the inner one of two nested calls, such as one library that uses another', async () => {
    const [trace, outer] = [traceId(), newSpanId()];
    const events = await billed([
      { traceId: trace, spanId: outer, scope: 'langchain', attributes: chat() },
      {
        traceId: trace,
        parentSpanId: outer,
        scope: 'openai',
        attributes: chat({ 'gen_ai.response.id': 'chatcmpl-nested-1' }),
      },
    ]);
    expect(events).toMatchObject([{ idempotencyKey: 'openai:chatcmpl-nested-1' }]);
  });

  it('bills a call and the call that its tool made', async () => {
    const [trace, outer, tool] = [traceId(), newSpanId(), newSpanId()];
    const events = await billed([
      { traceId: trace, spanId: outer, attributes: chat() },
      { traceId: trace, spanId: tool, parentSpanId: outer, attributes: { 'gen_ai.operation.name': 'execute_tool' } },
      { traceId: trace, parentSpanId: tool, attributes: chat() },
    ]);
    expect(events).toHaveLength(2);
  });
});

describe('a span of unknown kind', () => {
  const unknown = {
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.prompt_tokens': 1000,
    'gen_ai.usage.completion_tokens': 100,
  };

  it('is a call if nothing below it has usage', async () => {
    const [trace, outer] = [newTraceId(), newSpanId()];
    const events = await billed([
      { traceId: trace, spanId: outer, attributes: unknown },
      { traceId: trace, parentSpanId: outer, attributes: { 'http.request.method': 'POST' } },
    ]);
    expect(events).toMatchObject([{ totalCost: '0.0035' }]);
  });

  it('is not a call if a call is below it, in this request or in an earlier one', async () => {
    const [trace, outer, middle] = [newTraceId(), newSpanId(), newSpanId()];
    const call = { traceId: trace, parentSpanId: middle, attributes: chat() };
    const between = { traceId: trace, spanId: middle, parentSpanId: outer, attributes: {} };
    const parent = { traceId: trace, spanId: outer, attributes: unknown };
    expect(await billed([call, between, parent])).toHaveLength(1);

    const other = newTraceId();
    const later = [call, between, parent].map((span) => [{ ...span, traceId: other }]);
    expect(await billed(...later)).toHaveLength(1);
  });

  it('is the same event as its child if both have the response id, whichever comes first', async () => {
    const [trace, outer] = [newTraceId(), newSpanId()];
    const id = { 'gen_ai.response.id': 'chatcmpl-parent-first' };
    const parent = [{ traceId: trace, spanId: outer, attributes: { ...unknown, ...id } }];
    const child = [{ traceId: trace, parentSpanId: outer, attributes: chat(id) }];
    expect(await billed(parent, child)).toHaveLength(1);
  });
});

describe("the meaning of a library's counts", () => {
  const cost = async (span: SpanForm) => {
    const [event] = await billed([span]);
    return [event?.totalCost, event?.reading];
  };
  const openInference = (more: object = {}) => ({
    'openinference.span.kind': 'LLM',
    'llm.provider': 'anthropic',
    'llm.model_name': 'claude-sonnet-4-5-20250929',
    'llm.token_count.prompt': 12_000,
    'llm.token_count.completion': 1_000,
    'llm.token_count.prompt_details.cache_read': 10_000,
    ...more,
  });
  const vercel = (more: object = {}) => ({
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.provider': 'anthropic.messages',
    'ai.model.id': 'claude-sonnet-4-5-20250929',
    'ai.usage.inputTokens': 12_000,
    'ai.usage.outputTokens': 1_000,
    'ai.usage.cachedInputTokens': 10_000,
    'ai.usage.totalTokens': 13_000,
    ...more,
  });

  it.each<[string, SpanForm, string, string]>([
    [
      'openllmetry for Anthropic adds up',
      { scope: 'opentelemetry.instrumentation.anthropic', version: '0.40.0', attributes: claude() },
      INCLUSIVE,
      'opentelemetry',
    ],
    [
      'openinference for Anthropic adds up since 0.1.14',
      { scope: 'openinference.instrumentation.anthropic', version: '0.1.14', attributes: openInference() },
      INCLUSIVE,
      'opentelemetry',
    ],
    [
      'and did not before',
      { scope: 'openinference.instrumentation.anthropic', version: '0.1.13', attributes: openInference() },
      EXCLUSIVE,
      'opentelemetry-exclusive',
    ],
    [
      'version 0.1.9 is before 0.1.14',
      { scope: 'openinference.instrumentation.anthropic', version: '0.1.9', attributes: openInference() },
      EXCLUSIVE,
      'opentelemetry-exclusive',
    ],
    [
      'the AI SDK 5 passes on what Anthropic counts, and its total leaves the cache out',
      { scope: 'ai', attributes: vercel() },
      EXCLUSIVE,
      'opentelemetry-exclusive',
    ],
    [
      'the AI SDK 6 adds up, and shows it by details',
      { scope: 'ai', attributes: vercel({ 'ai.usage.inputTokenDetails.cacheReadTokens': 10_000 }) },
      INCLUSIVE,
      'opentelemetry',
    ],
    [
      'OpenAI includes cached tokens in the input, and so does the AI SDK 5',
      { scope: 'ai', attributes: vercel({ 'ai.model.provider': 'openai.chat', 'ai.model.id': 'gpt-4o' }) },
      '0.0275',
      'opentelemetry',
    ],
    [
      'an unknown library is a guess at Anthropic',
      {
        scope: 'homemade',
        attributes: claude({
          'gen_ai.usage.cache_read.input_tokens': undefined,
          'gen_ai.usage.cache_read_input_tokens': 10_000,
        }),
      },
      EXCLUSIVE,
      'guessed',
    ],
    [
      'names of the semantic conventions are a guess that it follows them',
      { scope: 'homemade', attributes: claude() },
      INCLUSIVE,
      'guessed',
    ],
    [
      'unless a total decides',
      { scope: 'homemade', attributes: claude({ 'gen_ai.usage.total_tokens': 13_000 }) },
      INCLUSIVE,
      'opentelemetry',
    ],
    [
      'or the version of the semantic conventions',
      { scope: 'homemade', schemaUrl: 'https://opentelemetry.io/schemas/1.40.0', attributes: claude() },
      INCLUSIVE,
      'opentelemetry',
    ],
    [
      'an older version of them decides nothing',
      { scope: 'homemade', schemaUrl: 'https://opentelemetry.io/schemas/1.37.0', attributes: claude() },
      INCLUSIVE,
      'guessed',
    ],
  ])('%s', async (_title, span, total, reading) => {
    expect(await cost(span)).toEqual([total, reading]);
  });

  it("prefers Anthropic's own object, which the AI SDK passes on", async () => {
    const usage = {
      input_tokens: 2_000,
      output_tokens: 1_000,
      cache_read_input_tokens: 10_000,
      cache_creation_input_tokens: 0,
    };
    const providerMetadata = JSON.stringify({ anthropic: { usage } });
    const span = { scope: 'ai', attributes: vercel({ 'ai.response.providerMetadata': providerMetadata }) };
    expect(await cost(span)).toEqual([INCLUSIVE, 'anthropic-messages']);
  });
});

describe('the context of a call', () => {
  const whom = async (attributes: object, resource = {}) => {
    const [event] = await billed([{ resource, attributes: chat({ ...attributes }) }]);
    return [event.endUserExternalId, event.agentId, event.sessionId];
  };

  it.each([
    'user.id',
    'enduser.id',
    'gen_ai.user.id',
    'traceloop.association.properties.user_id',
    'ai.telemetry.metadata.userId',
    'trace.metadata.user_id',
  ])('is in %s', async (name) => {
    const others = { 'gen_ai.agent.id': 'a-1', 'gen_ai.conversation.id': 'c-1' };
    expect(await whom({ [name]: 'customer-7', ...others })).toEqual(['customer-7', 'a-1', 'c-1']);
  });

  it('is in the surrounding span, or in the resource', async () => {
    const [trace, outer] = [newTraceId(), newSpanId()];
    const [event] = await billed([
      {
        traceId: trace,
        spanId: outer,
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'user.id': 'around', 'session.id': 's' },
      },
      { traceId: trace, parentSpanId: outer, attributes: chat() },
    ]);
    expect(event).toMatchObject({ endUserExternalId: 'around', sessionId: 's' });
    expect(await whom({}, { 'user.id': 'resource' })).toEqual(['resource', null, null]);
  });

  it('is in the attributes that the organization chose, in their order; dimensions are kept', async () => {
    const set = `mutation { telemetryMappingSet(input: { endUser: ["customer", "tenant"], dimensions: [{ dimension: "team", attributes: ["app.team", "service.name"] }] }) { telemetryMapping { endUser agent dimensions { dimension attributes } } userErrors { message } } }`;
    expect((await operate(service, set)).telemetryMappingSet.telemetryMapping).toEqual({
      endUser: ['customer', 'tenant'],
      agent: ['gen_ai.agent.name', 'gen_ai.agent.id'],
      dimensions: [{ dimension: 'team', attributes: ['app.team', 'service.name'] }],
    });
    const attributes = chat({ tenant: 'second', customer: 'first', 'user.id': 'no' });
    const [event] = await billed([{ resource: { 'service.name': 'shop' }, attributes }]);
    expect(event).toMatchObject({ endUserExternalId: 'first', metadata: { team: 'shop' } });
    await operate(
      service,
      'mutation { telemetryMappingSet(input: { endUser: ["user.id"], dimensions: [] }) { telemetryMapping { endUser } userErrors { message } } }',
    );
  });
});

describe('a cost that a source reports', () => {
  const span = (cost: unknown, scope = 'openrouter') => ({ scope, attributes: chat({ 'gen_ai.usage.cost': cost }) });

  it('is booked if the organization chose so and the cost is above zero', async () => {
    const costs = [0.0241, '0.0241', 5e-7, 0, -1, 'free', '1e99'];
    const kept = await billed(costs.map((cost) => span(cost)));
    expect(new Set(kept.map(({ totalCost }) => totalCost))).toEqual(new Set(['0.0035']));

    const { telemetryMappingSet } = await operate(
      service,
      'mutation { telemetryMappingSet(input: { bookedCosts: ["openrouter"] }) { telemetryMapping { bookedCosts } userErrors { message } } }',
    );
    expect(telemetryMappingSet.telemetryMapping).toEqual({ bookedCosts: ['openrouter'] });
    const events = await billed([...costs.map((cost) => span(cost)), span(0.0241, 'another')]);
    const byCards = '0.0035';
    expect(events.map(({ totalCost }) => totalCost)).toEqual([
      '0.0241',
      '0.0241',
      '0.0000005',
      byCards,
      byCards,
      byCards,
      byCards,
      byCards,
    ]);
    expect(events[0]).toMatchObject({ inputTokens: 1000, reading: null, metadata: { reported_cost: '0.0241' } });
    const { telemetrySources } = await operate(service, '{ telemetrySources { name isCostBooked } }');
    expect(telemetrySources).toEqual(
      expect.arrayContaining([
        { name: 'openrouter', isCostBooked: true },
        { name: 'another', isCostBooked: false },
      ]),
    );
    await operate(
      service,
      'mutation { telemetryMappingSet(input: { bookedCosts: [] }) { telemetryMapping { bookedCosts } userErrors { message } } }',
    );
    expect(await billed([span(0.0241)])).toMatchObject([{ totalCost: byCards }]);
  });
});

describe('one call through two endpoints', () => {
  it('is one event: signed on /v1 and as a span', async () => {
    const signed = usageEvent({ idempotency_key: 'openai:chatcmpl-two-doors', model: 'gpt-4o', provider: 'openai' });
    const { body } = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [signed]);
    expect(body.accepted).toBe(1);
    expect(await billed([{ attributes: chat({ 'gen_ai.response.id': 'chatcmpl-two-doors' }) }])).toEqual([]);
  });

  it('is one event however the provider is spelled', async () => {
    const span = (provider: string) => ({
      attributes: chat({
        'gen_ai.provider.name': provider,
        'gen_ai.response.id': 'resp-spelt',
        'gen_ai.request.model': 'gemini-2.5-flash',
      }),
    });
    expect(await billed([span('gcp.gemini')], [span('google')], [span('vertex_ai')])).toHaveLength(1);
  });
});

it('/otlp/v1/traces keeps no prompt and no completion', async () => {
  const secret = 'what the patient told the doctor';
  const names = [
    'gen_ai.prompt.0.content',
    'gen_ai.completion.0.content',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.system_instructions',
    'llm.input_messages.0.message.content',
    'input.value',
    'output.value',
    'ai.prompt.messages',
    'ai.response.text',
    'traceloop.entity.input',
    'my.own.attribute',
  ];
  const content = Object.fromEntries(names.map((name) => [name, secret]));
  const [event] = await billed([{ attributes: chat(content) }]);
  expect(JSON.stringify(event)).not.toContain('patient');
});

it.each([
  ['input_tokens', -1000],
  ['input_tokens', 1000.5],
  ['input_tokens', '1,000'],
  ['output_tokens', '-3'],
])('/otlp/v1/traces rejects a span whose %s is %s, and nothing else', async (name, value) => {
  const spans = traces(
    { attributes: chat({ [`gen_ai.usage.${name}`]: value }) },
    { attributes: chat({ 'gen_ai.response.id': `chatcmpl-beside-${name}-${value}` }) },
  );
  const { status, body } = await sendTo(service.url, '/otlp/v1/traces', key, spans);
  const errorMessage = `${name} must be an integer from 0 to 9007199254740991`;
  expect([status, body]).toEqual([200, { partialSuccess: { rejectedSpans: '1', errorMessage } }]);
});

it('/otlp/v1/traces shows the senders, and what is billed, ignored and rejected', async () => {
  const scope = { scope: 'my-library', version: '2.1.0' };
  const call = { ...scope, attributes: chat({ 'gen_ai.response.id': 'chatcmpl-sources' }) };
  const agent = { ...scope, attributes: { 'gen_ai.operation.name': 'invoke_agent' } };
  const nameless = { ...scope, attributes: { ...chat(), 'gen_ai.request.model': '' } };
  const answer = await sendTo(service.url, '/otlp/v1/traces', key, traces(call, call, agent, nameless));
  expect(answer.body).toEqual({ partialSuccess: { rejectedSpans: '1', errorMessage: 'model is required' } });
  const document = `{ telemetrySources {
    endpoint name version billed duplicates ignored { reason count } rejected { reason count } firstSeenAt lastSeenAt
  } }`;
  const { telemetrySources } = await operate(service, document);
  const seen = telemetrySources.map(({ lastSeenAt }: { lastSeenAt: string }) => Date.parse(lastSeenAt));
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((one: number, other: number) => other - one));
  expect(telemetrySources).toContainEqual({
    endpoint: 'OTLP_TRACES',
    name: 'my-library',
    version: '2.1.0',
    billed: 1,
    duplicates: 1,
    ignored: [{ reason: 'contains_calls', count: 1 }],
    rejected: [{ reason: 'validation_error', count: 1 }],
    firstSeenAt: expect.any(String),
    lastSeenAt: expect.any(String),
  });
});

it('/otlp/v1/traces keeps events of a test key out of every figure, and shows them on request', async () => {
  const testKey = await unsignedKey(service, 'test');
  const before = await received('livemode: true, first: 200');
  await sendTo(
    service.url,
    '/otlp/v1/traces',
    testKey,
    traces({ attributes: chat({ 'gen_ai.response.id': 'test-1' }) }),
  );
  await settle(service.url, service.firstRun.operator_token);
  expect(await received('livemode: true, first: 200')).toEqual(before);
  expect(await received('livemode: false')).toMatchObject([{ idempotencyKey: 'openai:test-1', totalCost: '0.0035' }]);
  const found = await operate(
    service,
    '{ test: receivedEvent(idempotencyKey: "openai:test-1", livemode: false) { status } live: receivedEvent(idempotencyKey: "openai:test-1") { id } }',
  );
  expect(found).toEqual({ test: { status: 'COMPLETED' }, live: null });
});
