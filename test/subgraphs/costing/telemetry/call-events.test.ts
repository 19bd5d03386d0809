/** The attributes from which the fields of an event are read, listed by hand, and their precedence. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_MAPPING, mappedText } from '#usage/telemetry/attribute-mapping.ts';
import { callEvent, type CallFacts, responseKey } from '#usage/telemetry/call-event.ts';
import { callUsage } from '#usage/telemetry/call-usage.ts';
import { isTask, taskOutcome } from '#usage/telemetry/task-outcome.ts';
import type { Attributes, TelemetryRecord } from '#usage/telemetry/telemetry-record.ts';
import { aSpan } from './a-span.ts';

const COUNTS = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 };

function event(
  attributes: Attributes,
  {
    facts = {},
    ancestors = [],
    mapping = DEFAULT_MAPPING,
    ...more
  }: {
    facts?: CallFacts;
    ancestors?: readonly TelemetryRecord[];
    mapping?: typeof DEFAULT_MAPPING;
  } & NonNullable<Parameters<typeof aSpan>[1]> = {},
) {
  const record = aSpan({ ...COUNTS, ...attributes }, more);
  return callEvent({ record, ancestors, usage: callUsage(record, true)! }, mapping, facts);
}

/** Each list is in order of precedence. */
const MODEL = [
  'gen_ai.response.model',
  'ai.response.model',
  'llm.response.model',
  'llm.response.model_name',
  'langfuse.observation.model.name',
  'gen_ai.request.model',
  'llm.model_name',
  'embedding.model_name',
  'reranker.model_name',
  'ai.model.id',
  'ai.model_id',
  'llm.request.model',
  'llm.model',
  'mlflow.llm.model',
  'model',
];
const PROVIDER = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
  'llm.vendor',
  'mlflow.llm.provider',
  'langfuse.observation.metadata.ls_provider',
];
const RESPONSE_ID = ['gen_ai.response.id', 'ai.response.id', 'llm.response.id'];
const COST = [
  'gen_ai.usage.cost',
  'gen_ai.usage.total_cost',
  'gen_ai.cost.total',
  'gen_ai.cost.total_cost',
  'litellm.cost.total',
  'llm.usage.total_cost',
  'llm.cost.total',
  'operation.cost',
  'cost_usd',
];
const TIER = [
  'openai.response.service_tier',
  'gen_ai.openai.response.service_tier',
  'gen_ai.response.service_tier',
  'service_tier',
];
const REQUESTED_TIER = [
  'openai.request.service_tier',
  'gen_ai.openai.request.service_tier',
  'gen_ai.request.service_tier',
];
const HOST = ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base'];
const USER = [
  'user.id',
  'enduser.id',
  'gen_ai.user.id',
  'langfuse.user.id',
  'traceloop.association.properties.user_id',
  'ai.telemetry.metadata.userId',
  'trace.metadata.user_id',
];
const AGENT = ['gen_ai.agent.name', 'gen_ai.agent.id'];
const SESSION = ['gen_ai.conversation.id', 'session.id', 'langfuse.session.id'];

describe.each<[string, readonly string[], (value: string) => unknown, (one: ReturnType<typeof event>) => unknown]>([
  ['model', MODEL, (value) => value, ({ model }) => model],
  ['provider', PROVIDER, (value) => value, ({ provider }) => provider],
  ['response id', RESPONSE_ID, (value) => value, ({ idempotency_key: key }) => String(key).split(':')[1]],
  ['cost', COST, (value) => value, ({ metadata }) => (metadata as Record<string, unknown>)['reported_cost']],
  ['service tier', [...TIER, ...REQUESTED_TIER], (value) => value, ({ service_tier: tier }) => tier],
  ['end user', USER, (value) => value, ({ user_id: user }) => user],
  ['agent', AGENT, (value) => value, ({ agent_id: agent }) => agent],
  ['session', SESSION, (value) => value, ({ session_id: session }) => session],
])('the %s', (_, names, expected, found) => {
  it.each(names)('is read from %s', (name) => {
    expect(found(event({ [name]: 'value-7' }))).toBe(expected('value-7'));
  });

  it.each(names.slice(1).map((name, index) => [names[index]!, name]))(
    'the attribute %s takes precedence over %s',
    (first, second) => {
      expect(found(event({ [second]: 'second', [first]: 'first' }))).toBe(expected('first'));
    },
  );
});

describe('the provider', () => {
  it.each<[string, Attributes, string | null]>([
    ["the AI SDK's API", { 'ai.model.provider': 'acme.anything' }, 'acme'],
    ...['chat', 'responses', 'messages', 'completion', 'embedding'].map((api): [string, Attributes, string] => [
      `an API after a dot: ${api}`,
      { 'gen_ai.system': `acme-ai.${api}` },
      'acme-ai',
    ]),
    ['a dot within a name', { 'gen_ai.system': 'gcp.vertex_ai' }, 'gcp.vertex_ai'],
    ['MLflow writes JSON', { 'mlflow.llm.provider': '"acme"' }, 'acme'],
    ['quotes within', { 'gen_ai.system': '"ac"me"' }, '"ac"me"'],
    [
      'OpenAI named for the host of Azure',
      { 'gen_ai.system': 'openai', 'server.address': 'x.openai.azure.com' },
      'azure',
    ],
    ['none', {}, null],
  ])('is read from %s', (_, attributes, provider) => {
    expect(event(attributes)).toMatchObject({ provider });
  });

  it('the provider of the record takes precedence over that of the facts', () => {
    expect(event({ 'gen_ai.system': 'acme' }, { facts: { provider: 'other' } })).toMatchObject({ provider: 'acme' });
    expect(event({}, { facts: { provider: 'other' } })).toMatchObject({ provider: 'other' });
  });
});

it.each(HOST)('the region is read from the host in %s', (name) => {
  expect(event({ [name]: 'us-east5-aiplatform.googleapis.com' })).toMatchObject({ serving_region: 'us-east5' });
  expect(event({ [name]: 'https://us-east5-aiplatform.googleapis.com/v1' })).toMatchObject({
    serving_region: 'us-east5',
  });
  expect(event({ [name]: 'api.acme.com' })['serving_region']).toBeUndefined();
});

it.each<[string, string | null, string | null, string, string]>([
  ['a named provider', 'OpenAI', 'x', 'r1', 'openai:r1'],
  ['an alias', 'aws.bedrock', 'x', 'r1', 'aws:r1'],
  ['an unknown provider', 'Acme', 'x', 'r1', 'acme:r1'],
  ['no provider, but a model', null, 'claude-opus-4-1', 'r1', 'anthropic:r1'],
  ['a generation of OpenRouter', 'OpenAI', 'x', 'gen-1', 'openrouter:gen-1'],
])('the key of %s', (_, provider, model, id, key) => {
  expect(responseKey(provider, model, id)).toBe(key);
});

describe('the cost', () => {
  const cost = (attributes: Attributes) => (event(attributes)['metadata'] as Record<string, unknown>)['reported_cost'];
  const parts = {
    'llm.cost.prompt': 0.25,
    'llm.cost.completion': 0.5,
  };
  it.each<[string, Attributes, unknown]>([
    ['its parts', parts, '0.75'],
    ['parts with other names', { 'gen_ai.cost.input_cost': '0.1', 'gen_ai.cost.output_cost': 0.2 }, '0.3'],
    ['parts of the usage', { 'gen_ai.usage.input_cost': 0.1, 'gen_ai.usage.output_cost': 0 }, '0.1'],
    ['parts of which one is free', { 'gen_ai.usage.input_cost': 0.1, 'gen_ai.usage.output_cost': 0.4 }, '0.5'],
    ['one part only', { 'llm.cost.prompt': 0.25 }, undefined],
    ['the total before its parts', { ...parts, 'gen_ai.usage.cost': 0.8 }, '0.8'],
    ['the parts before those of Langfuse', { ...parts, 'langfuse.observation.cost_details': '{"total":2}' }, '0.75'],
    ["Langfuse's total", { 'langfuse.observation.cost_details': '{"input":1,"output":0.5,"total":2}' }, '2'],
    ["Langfuse's parts", { 'langfuse.observation.cost_details': '{"input":1,"output":0.5}' }, '1.5'],
    [
      'Langfuse before the metadata',
      {
        'langfuse.observation.cost_details': '{"total":2}',
        'ai.response.providerMetadata': '{"gateway":{"cost":"3"}}',
      },
      '2',
    ],
    ["a router's metadata", { 'ai.response.providerMetadata': '{"gateway":{"cost":"3"}}' }, '3'],
  ])('is read from %s', (_, attributes, expected) => {
    expect(cost(attributes)).toBe(expected);
  });

  it.each([
    ['acme', ['acme'], '0.8'],
    ['acme', ['other'], undefined],
  ])('the cost of the scope %s is booked for %j', (_, bookedCosts, booked) => {
    const mapping = { ...DEFAULT_MAPPING, bookedCosts };
    expect(event({ 'gen_ai.usage.cost': 0.8 }, { mapping })['cost_override']).toBe(booked);
  });
});

it.each<[string, Attributes, string | undefined]>([
  ['a requested auto', { 'gen_ai.request.service_tier': 'auto' }, undefined],
  [
    'the parameters, if auto was requested',
    { 'gen_ai.request.service_tier': 'auto', 'langfuse.observation.model.parameters': '{"service_tier":"flex"}' },
    'flex',
  ],
  [
    'the request before the parameters',
    { 'gen_ai.request.service_tier': 'priority', 'langfuse.observation.model.parameters': '{"service_tier":"flex"}' },
    'priority',
  ],
  [
    'the metadata before the request',
    { 'gen_ai.request.service_tier': 'flex', 'ai.response.providerMetadata': '{"openai":{"serviceTier":"default"}}' },
    'default',
  ],
  [
    'the response before the metadata',
    { service_tier: 'flex', 'ai.response.providerMetadata': '{"openai":{"serviceTier":"default"}}' },
    'flex',
  ],
])('the tier is read: %s', (_, attributes, tier) => {
  expect(event(attributes)['service_tier']).toBe(tier);
});

describe('counts', () => {
  const PARTS = {
    'gen_ai.usage.cache_read.input_tokens': 30,
    'gen_ai.usage.cache_creation.input_tokens': 10,
    'gen_ai.usage.reasoning.output_tokens': 5,
    'gen_ai.usage.cache_creation_1h_input_tokens': 4,
    'gen_ai.usage.total_tokens': 120,
    'gen_ai.usage.audio.input_tokens': 3,
    'gen_ai.usage.audio.output_tokens': 2,
    'gen_ai.usage.input_cached_audio_tokens': 1,
  };
  const DOCUMENTED = { cache_read_input_tokens: 30, cache_creation_input_tokens: 10, reasoning_tokens: 5 };
  const AUDIO = {
    'llm.token_count.prompt_details.audio': 3,
    'llm.token_count.completion_details.audio': 2,
    'gen_ai.usage.cache_read.audio_tokens': 1,
  };
  const NAMED = {
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 30,
    'gen_ai.usage.cache_creation.input_tokens': 10,
    'gen_ai.usage.reasoning.output_tokens': 5,
    cache_creation_1h_input_tokens: 4,
  };
  const FIELDS = [
    ...Object.keys({ ...DOCUMENTED, ...AUDIO, ...NAMED }),
    'gen_ai.usage.convention',
    'gen_ai.usage.total_tokens',
    'total_tokens',
  ];
  const counts = (...args: Parameters<typeof event>) =>
    Object.fromEntries(Object.entries(event(...args)).filter(([name]) => FIELDS.includes(name)));

  it.each<[string, Attributes, Parameters<typeof event>[1], object]>([
    ['a known library', {}, { scope: 'litellm' }, { 'gen_ai.usage.total_tokens': 120 }],
    [
      'facts before the library',
      {},
      { scope: 'litellm', facts: { convention: 'exclusive' } },
      { 'gen_ai.usage.convention': 'exclusive' },
    ],
    [
      "a library with the provider's convention: Anthropic",
      { 'gen_ai.system': 'anthropic' },
      { scope: 'openinference.instrumentation.agno' },
      { 'gen_ai.usage.convention': 'exclusive' },
    ],
    [
      "a library with the provider's convention: Bedrock",
      { 'gen_ai.system': 'aws.bedrock' },
      { scope: 'openinference.instrumentation.agno' },
      { 'gen_ai.usage.convention': 'exclusive' },
    ],
    [
      "a library with the provider's convention: OpenAI",
      { 'gen_ai.system': 'openai' },
      { scope: 'openinference.instrumentation.agno' },
      { 'gen_ai.usage.total_tokens': 120 },
    ],
    [
      "an unknown library with the convention's names",
      { 'gen_ai.system': 'anthropic' },
      {},
      { 'gen_ai.usage.convention': 'assumed', 'gen_ai.usage.total_tokens': 120 },
    ],
  ])('counts of %s', (_, attributes, more, expected) => {
    expect(counts({ ...PARTS, ...attributes }, more)).toEqual({ ...DOCUMENTED, ...NAMED, ...AUDIO, ...expected });
  });

  it('counts of an unknown library keep the documented names', () => {
    expect(counts({ ...PARTS, 'gen_ai.system': 'openai' })).toEqual({ ...DOCUMENTED, ...AUDIO, total_tokens: 120 });
    expect(counts({})).toEqual({
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      reasoning_tokens: null,
    });
  });

  it('counts of the provider itself are passed on', () => {
    const raw = { prompt_tokens: 7, completion_tokens: 3 };
    expect(event({ 'ai.usage': JSON.stringify(raw) })).toMatchObject({ input_tokens: 7, output_tokens: 3, usage: raw });
  });
});

it('a span becomes a complete event', () => {
  const record = { name: 'chat', parentSpanId: '2'.repeat(16), scope: 'acme' };
  expect(event({ 'gen_ai.request.model': '"m-1"', 'gen_ai.task.id': 't-1' }, record)).toEqual({
    idempotency_key: `otlp:${'a'.repeat(32)}:${'1'.repeat(16)}`,
    model: 'm-1',
    provider: null,
    input_tokens: 100,
    output_tokens: 20,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    reasoning_tokens: null,
    event_invoked_at: '2026-11-26T12:00:00.000Z',
    user_id: null,
    agent_id: null,
    session_id: null,
    span_id: '1'.repeat(16),
    parent_span_id: '2'.repeat(16),
    service_tier: undefined,
    serving_region: undefined,
    billed_tools: undefined,
    metadata: {
      task_id: 't-1',
      telemetry: {
        scope: 'acme',
        trace_id: 'a'.repeat(32),
        usage: { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 },
      },
    },
  });
});

it('an event omits what its record does not state', () => {
  const none = { spanId: '', traceId: '', parentSpanId: '', startMs: 0 };
  expect(event({}, { ...none, facts: { key: 'k', more: { a: 1 }, event: { speed: 'fast' } } })).toMatchObject({
    idempotency_key: 'k',
    event_invoked_at: null,
    span_id: null,
    parent_span_id: null,
    speed: 'fast',
    metadata: { a: 1, telemetry: { scope: 'acme', usage: expect.anything() } },
  });
  expect(event({}, { ...none, startMs: 1 })).toMatchObject({ event_invoked_at: '1970-01-01T00:00:00.001Z' });
});

it.each<[string, Attributes, object]>([
  ['unread', { 'gen_ai.usage.tool_tokens': 4 }, { unread_counts: ['gen_ai.usage.tool_tokens'] }],
  [
    'a lone total',
    { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 0, 'gen_ai.usage.total_tokens': 9 },
    { only_total: true },
  ],
])('an event says that its counts are doubtful: %s', (_, attributes, metadata) => {
  const marks = ['unread_counts', 'only_total', 'no_input'];
  const found = event(attributes)['metadata'] as object;
  expect(Object.fromEntries(Object.entries(found).filter(([name]) => marks.includes(name)))).toEqual(metadata);
});

it('an event says that it has an output without an input', () => {
  const record = aSpan({ 'gen_ai.usage.output_tokens': 20 });
  const call = { record, ancestors: [], usage: callUsage(record, true)! };
  expect(callEvent(call, DEFAULT_MAPPING)).toMatchObject({ metadata: { no_input: true } });
});

describe('a mapped attribute', () => {
  const place = (attributes: Attributes, above: Attributes = {}, resource: Attributes = {}) => ({
    record: aSpan(attributes, { resource }),
    ancestors: [aSpan(above), aSpan({ a: 'far', b: 'far' })],
  });
  it.each<[string, ReturnType<typeof place>, string | null]>([
    ['the call', place({ a: 'own' }, { a: 'near' }, { a: 'resource' }), 'own'],
    ['the second name of the call before the first of a parent', place({ b: 'own' }, { a: 'near' }), 'own'],
    ['the first name', place({ b: 'second', a: 'first' }), 'first'],
    ['the nearest parent', place({}, { b: 'near' }), 'near'],
    ['another parent before the resource', place({}, {}, { a: 'resource' }), 'far'],
    ['a number', place({ a: 7 }), '7'],
    ['zero', place({ a: 0 }), '0'],
    ['an empty text', place({ a: ' ' }), 'far'],
    ['255 characters', place({ a: '😀'.repeat(255) }), '😀'.repeat(255)],
    ['256 characters', place({ a: 'x'.repeat(256) }), 'far'],
    ['a NUL', place({ a: 'x\0' }), 'far'],
    ['half a character', place({ a: 'x\ud800' }), 'x\ufffd'],
  ])('is read in order from %s', (_, where, expected) => {
    expect(mappedText(where, ['a', 'b'])).toBe(expected);
  });

  it('a mapped attribute of the resource', () => {
    expect(mappedText({ record: aSpan({}, { resource: { a: 'r' } }), ancestors: [] }, ['a'])).toBe('r');
    expect(mappedText({ record: aSpan({}), ancestors: [] }, ['a'])).toBeNull();
  });

  it('becomes a dimension; an attribute mapped to the task takes precedence over the standard one', () => {
    const dimensions = [
      { dimension: 'team', attributes: ['of.team', 'team'] },
      { dimension: 'task_id', attributes: ['of.task'] },
    ];
    const mapping = { ...DEFAULT_MAPPING, dimensions };
    expect(event({ team: 'blue', 'of.task': 'mine', 'gen_ai.task.id': 't' }, { mapping })).toMatchObject({
      metadata: { team: 'blue', task_id: 'mine' },
    });
    expect(event({ 'gen_ai.task.id': 't' }, { mapping })['metadata']).toMatchObject({ task_id: 't' });
  });
});

describe('a task', () => {
  const TASK = { 'gen_ai.operation.name': 'task', 'gen_ai.task.id': 't-1' };
  it.each<[Attributes, boolean]>([
    [TASK, true],
    [{ 'traceloop.span.kind': 'task', 'gen_ai.task.id': 't-1' }, true],
    [{ 'gen_ai.operation.name': 'chat', 'gen_ai.task.id': 't-1' }, false],
    [{ 'gen_ai.operation.name': 'task' }, false],
    [{ 'gen_ai.operation.name': 'task', 'gen_ai.task.id': ' ' }, false],
  ])('%j: %s', (attributes, expected) => {
    expect(isTask(aSpan(attributes))).toBe(expected);
  });

  it.each<[number, boolean | null]>([
    [0, null],
    [1, true],
    [2, false],
    [3, null],
  ])('a task with the status %d has succeeded: %s', (status, succeeded) => {
    const outcome = taskOutcome({ record: aSpan(TASK, { status }), ancestors: [] }, DEFAULT_MAPPING);
    if (succeeded === null) expect(outcome).toBeNull();
    else expect(outcome).toMatchObject({ succeeded });
  });

  it('is a whole outcome', () => {
    const more = {
      'gen_ai.task.name': 'resolve',
      'traceloop.entity.name': 'other',
      'session.id': 's',
      'user.id': 'u',
      'gen_ai.agent.name': 'a',
      'ai_product_books.task.value': 12.5,
      'ai_product_books.task.currency': 'EUR',
      team: 'blue',
    };
    const mapping = { ...DEFAULT_MAPPING, dimensions: [{ dimension: 'team', attributes: ['team'] }] };
    expect(taskOutcome({ record: aSpan({ ...TASK, ...more }, { status: 1 }), ancestors: [] }, mapping)).toEqual({
      key: `otlp:${'a'.repeat(32)}:${'1'.repeat(16)}`,
      name: 'resolve',
      succeeded: true,
      at: '2026-11-26T12:00:01.000Z',
      task_id: 't-1',
      session_id: 's',
      user_id: 'u',
      agent_id: 'a',
      value: '12.5',
      currency: 'EUR',
      metadata: { team: 'blue' },
    });
  });

  it.each<[Attributes, number, object]>([
    [{ 'traceloop.entity.name': 'other' }, 0, { name: 'other', at: null }],
    [{}, 1, { name: 'run', at: '1970-01-01T00:00:00.001Z', value: null, currency: null }],
    [{}, 8.64e15 + 1, { at: '8640000000000001' }],
  ])('%j that ends at %d', (attributes, endMs, expected) => {
    const record = aSpan({ ...TASK, ...attributes }, { status: 1, endMs, name: 'run' });
    expect(taskOutcome({ record, ancestors: [] }, DEFAULT_MAPPING)).toMatchObject(expected);
  });
});
