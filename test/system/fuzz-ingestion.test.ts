/**
 * Every field of every ingestion endpoint with every odd value: no request fails with a status of 5xx, a record that
 * cannot be read is rejected alone, and what was accepted is priced or waits.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, get, read, settle, sign } from '../support/api-client.ts';
import { type Mutant, mutantsOf, ODD_VALUES } from '../support/odd-values.ts';
import { EXT_TOOL_CALLS, ROUTE_CALLS } from '../support/route-calls.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { operate, sendTo, unsignedKey } from '../support/telemetry.ts';
import { runs } from '../support/property-runs.ts';
import { MINUTES } from '../support/patience.ts';

// Sends large or very many bodies.
vi.setConfig(MINUTES);

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await runningService({ READ_RATE_LIMIT: '1000000;w=900', INGEST_RATE_LIMIT: '1000000;w=60' });
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

const AT = '2026-01-15T12:00:00Z';
/** Time of the mutants. The good items around them are on a separate day, on which they are counted. */
const DAY_MS = 86_400_000;
let day = Date.parse('2020-01-01T00:00:00Z');
const nextDay = () => new Date((day += DAY_MS)).toISOString();

let made = 0;
const newId = () => `fuzz-${++made}`;

const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 100,
  total_tokens: 1100,
  prompt_tokens_details: { cached_tokens: 10, audio_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const EVENT = {
  idempotency_key: 'e',
  model: 'gpt-4o',
  provider: 'openai',
  input_tokens: 1000,
  output_tokens: 100,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 0,
  event_invoked_at: AT,
  user_id: 'user-1',
  session_id: 's',
  session_type: 'chat',
  agent_id: 'a',
  workflow_id: 'w',
  feature: 'f',
  span_id: 'b',
  parent_span_id: 'c',
  service_tier: 'default',
  cost_override: '1.25',
  experiment: { experiment_id: 'x', variant: 'v' },
  metadata: { team: 'a', usage: USAGE },
};
const LITELLM = {
  id: 'l',
  call_type: 'acompletion',
  cache_hit: false,
  status: 'success',
  custom_llm_provider: 'anthropic',
  model: 'claude-sonnet-4-5-20250929',
  response_cost: 0.0241,
  prompt_tokens: 12_000,
  completion_tokens: 1_000,
  total_tokens: 13_000,
  startTime: 1_790_000_000.5,
  end_user: 'customer-8',
  trace_id: 't',
  api_base: 'https://api.anthropic.com/',
  metadata: { user_api_key_team_alias: 'research', usage_object: USAGE },
  model_parameters: { service_tier: 'default', n: 1 },
  hidden_params: { batch_models: null },
  cost_breakdown: { tool_usage_cost: 0 },
  response: {
    service_tier: 'default',
    usage: { prompt_tokens: 1 },
    vertex_ai_grounding_metadata: [{ webSearchQueries: ['q'] }],
  },
};

/** One body of each provider, with its counts. */
const RESPONSES: readonly object[] = [
  {
    id: 'chatcmpl-r',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-4o-2024-08-06',
    service_tier: 'default',
    choices: [{ message: { tool_calls: [{ function: { name: '$web_search' } }], executed_tools: [{}] } }],
    usage: USAGE,
    user_id: 'customer',
    metadata: { team: 'a' },
  },
  {
    id: 'resp_r',
    object: 'response',
    created_at: 1_790_000_000,
    model: 'gpt-5-mini',
    tools: [{ type: 'web_search', container: { memory_limit: '4g' } }],
    output: [{ type: 'web_search_call', status: 'completed', action: { type: 'search' } }],
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens_details: { reasoning_tokens: 1 },
    },
  },
  {
    id: 'msg_r',
    type: 'message',
    model: 'claude-sonnet-4-5-20250929',
    content: [{ type: 'server_tool_use', name: 'web_search' }],
    usage: {
      input_tokens: 2000,
      output_tokens: 1000,
      cache_read_input_tokens: 10,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 1 },
      service_tier: 'standard',
      iterations: [{ type: 'message', input_tokens: 1, output_tokens: 1 }],
    },
  },
  {
    responseId: 'gemini-r',
    modelVersion: 'gemini-2.5-flash',
    createTime: AT,
    candidates: [{ groundingMetadata: { webSearchQueries: ['q'], groundingChunks: [{ web: {} }] } }],
    usageMetadata: {
      promptTokenCount: 1000,
      candidatesTokenCount: 100,
      totalTokenCount: 1100,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
    },
  },
  {
    ResponseMetadata: { RequestId: 'bedrock-r', HTTPHeaders: { 'x-amzn-bedrock-input-token-count': '5' } },
    model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10, cacheReadInputTokens: 1 },
  },
  {
    custom_id: 'line-1',
    response: { status_code: 200, request_id: 'q', body: { id: 'chatcmpl-b', model: 'gpt-4o', usage: USAGE } },
    error: null,
  },
  {
    id: 'ai-sdk-r',
    modelId: 'gpt-5',
    toolCalls: [{ type: 'tool-call', toolName: 'web_search', providerExecuted: true }],
    additional_kwargs: { tool_outputs: [{ type: 'web_search_call' }] },
    steps: [{ type: 'google_search_call', arguments: { queries: ['q'] } }],
    usage: { inputTokens: 1, outputTokens: 1, grounding_tool_count: [{ type: 'google_search', count: 1 }] },
  },
  { id: 'cohere-r', model: 'rerank-v3.5', results: [{ index: 0 }], meta: { billed_units: { search_units: 1 } } },
];

const attribute = (name: string, value: object) => ({ key: name, value });
const SPAN = {
  resource: { attributes: [attribute('service.name', { stringValue: 'app' })], droppedAttributesCount: 0 },
  scopeSpans: [
    {
      scope: { name: 'test', version: '1' },
      schemaUrl: 'https://opentelemetry.io/schemas/1.37.0',
      spans: [
        {
          traceId: '0af7651916cd43dd8448eb211c80319c',
          spanId: 'b7ad6b7169203331',
          parentSpanId: 'b7ad6b7169203330',
          name: 'chat gpt-4o',
          kind: 3,
          startTimeUnixNano: '1790000000000000000',
          endTimeUnixNano: '1790000001000000000',
          attributes: [
            attribute('gen_ai.operation.name', { stringValue: 'chat' }),
            attribute('gen_ai.provider.name', { stringValue: 'openai' }),
            attribute('gen_ai.request.model', { stringValue: 'gpt-4o' }),
            attribute('gen_ai.response.id', { stringValue: 'unique' }),
            attribute('gen_ai.usage.input_tokens', { intValue: '1000' }),
            attribute('gen_ai.usage.output_tokens', { doubleValue: 100 }),
            attribute('gen_ai.usage.cost', { doubleValue: 0.5 }),
            attribute('server.address', { stringValue: 'api.openai.com' }),
            attribute('upstream_raw_response_usage', { stringValue: '{"prompt_tokens":1,"completion_tokens":1}' }),
            attribute('user.id', { stringValue: 'u' }),
          ],
          events: [{ timeUnixNano: '1', name: 'e', attributes: [] }],
          status: { code: 1 },
        },
      ],
    },
  ],
};
const LOG = {
  resource: { attributes: [attribute('service.name', { stringValue: 'claude-code' })] },
  scopeLogs: [
    {
      scope: { name: 'com.anthropic.claude_code.events', version: '2.0.0' },
      logRecords: [
        {
          timeUnixNano: '1790000000000000000',
          observedTimeUnixNano: '1790000000000000000',
          eventName: 'claude_code.api_request',
          body: { stringValue: 'claude_code.api_request' },
          traceId: '0af7651916cd43dd8448eb211c80319c',
          attributes: [
            attribute('event.name', { stringValue: 'api_request' }),
            attribute('model', { stringValue: 'claude-sonnet-4-5-20250929' }),
            attribute('request_id', { stringValue: 'unique' }),
            attribute('session.id', { stringValue: 's' }),
            attribute('input_tokens', { intValue: '5' }),
            attribute('output_tokens', { stringValue: '5' }),
            attribute('cost_usd', { doubleValue: 0.1 }),
            attribute('speed', { stringValue: 'fast' }),
          ],
        },
      ],
    },
  ],
};

/** A larger body has to wait for its predecessor. */
const BODY_BYTES = 900 * 1024;

interface FuzzedBody {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

/** The mutants in bodies of so many items at most, each body between two good items. */
function* bodiesOf(mutants: Iterable<Mutant>, itemsMax: number, good: () => string): Generator<FuzzedBody> {
  let items: Mutant[] = [];
  let bytes = 0;
  const body = () => ({
    names: items.map(({ name }) => name),
    texts: [good(), ...items.map(({ text }) => text), good()],
  });
  for (const mutant of mutants) {
    bytes += Buffer.byteLength(mutant.text);
    if (items.length === itemsMax - 2 || bytes > BODY_BYTES) {
      yield body();
      items = [];
      bytes = Buffer.byteLength(mutant.text);
    }
    items.push(mutant);
  }
  if (items.length > 0) yield body();
}

/** The good items are accepted, every other item has its own outcome, and none of these is an unexpected exception. */
function expectEachAlone(results: readonly { status: string; message?: string }[], { names }: FuzzedBody): void {
  expect(results).toHaveLength(names.length + 2);
  const accepted = { status: expect.stringMatching(/^accepted/) as string };
  expect([results[0], results.at(-1)]).toMatchObject([accepted, accepted]);
  const unread = names.filter((_, index) => results[index + 1]?.message?.includes('could not be read'));
  expect(unread).toEqual([]);
}

describe('/ext/v1', () => {
  it.each<[string, object]>([
    ['/ext/v1/litellm', LITELLM],
    ...RESPONSES.map((response): [string, object] => ['/ext/v1/provider-responses', response]),
    ['/ext/v1/provider-responses', EVENT],
  ])('%s survives mutants of each field of %o', async (path, template) => {
    const good = path === '/ext/v1/litellm' ? LITELLM : RESPONSES[0];
    for (const fuzzed of bodiesOf(mutantsOf(template), 1_000, () => JSON.stringify({ ...good, id: newId() }))) {
      const { status, body } = await sendTo(service.url, path, key, `[${fuzzed.texts.join(',')}]`);
      expect([status, body]).toMatchObject([202, { results: expect.any(Array) }]);
      expectEachAlone(body.results, fuzzed);
    }
  });
});

async function signed(path: string, body: string): Promise<Answer> {
  const ingestKey = service.firstRun.live_ingest_key;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    authorization: `Bearer ${ingestKey}`,
    'content-type': 'application/json',
    'x-timestamp': timestamp,
    'x-signature': sign(ingestKey, timestamp, body),
  };
  return read(await fetch(`${service.url}${path}`, { method: 'POST', headers, body }));
}

const goodEvent = () => JSON.stringify({ ...EVENT, idempotency_key: newId() });
/** Fewer values, for endpoints where each request holds only one mutant. */
const FEW_VALUES = ODD_VALUES.filter((_, index) => index % 11 === 0);

describe('signed', () => {
  it('/v1/usage-events/batch survives mutants of each field of an event', async () => {
    for (const fuzzed of bodiesOf(mutantsOf(EVENT), 100, goodEvent)) {
      const { status, body } = await signed('/v1/usage-events/batch', `[${fuzzed.texts.join(',')}]`);
      expect([status, body]).toMatchObject([202, { results: expect.any(Array) }]);
      expectEachAlone(body.results, fuzzed);
    }
  });

  it('/v1/usage-events survives mutants of each field of an event', async () => {
    for (const { name, text } of mutantsOf(EVENT, FEW_VALUES)) {
      const answer = await signed('/v1/usage-events', text);
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(500);
    }
  });

  it('/graphql survives mutants of each field of the events of a mutation, and of the request', async () => {
    const query = 'mutation Send($events: JSON!) { ingestUsageEvents(events: $events) }';
    for (const fuzzed of bodiesOf(mutantsOf(EVENT), 100, goodEvent)) {
      const request = `{"query":"${query}","variables":{"events":[${fuzzed.texts.join(',')}]}}`;
      const { status, body } = await signed('/graphql', request);
      expect([status, body]).toMatchObject([200, { data: { ingestUsageEvents: { results: expect.any(Array) } } }]);
      expectEachAlone(body.data.ingestUsageEvents.results, fuzzed);
    }
    const persistedQuery = { version: 1, sha256Hash: 'x' };
    const request = { query, variables: { events: [] }, operationName: 'Send', extensions: { persistedQuery } };
    for (const { name, text } of mutantsOf(request, FEW_VALUES)) {
      const answer = await signed('/graphql', text);
      const isOurs = answer.status >= 500 || answer.text.includes('INTERNAL_SERVER_ERROR');
      expect(isOurs, `${name}: ${answer.text}`).toBe(false);
    }
  });
});

/** Number of events of the day that begins at `start`. */
async function eventsOf(start: string): Promise<number> {
  const end = new Date(Date.parse(start) + DAY_MS).toISOString();
  const range = `start_date=${start}&end_date=${end}`;
  const { body } = await get(service.url, `/usage/summary?${range}`, service.firstRun.live_read_key);
  return body.total_events as number;
}

const newSpanId = () => (++made).toString(16).padStart(16, '0');

describe('/otlp/v1', () => {
  it.each([
    ['/otlp/v1/traces', 'resourceSpans', SPAN],
    ['/otlp/v1/logs', 'resourceLogs', LOG],
  ] as const)(
    '%s as JSON survives mutants of each field of a resource, a scope and a record',
    async (path, list, template) => {
      for (const { texts } of bodiesOf(mutantsOf(template), 10_000, () => '')) {
        const start = nextDay();
        const good = () =>
          JSON.stringify(template)
            .replaceAll('1790000000000000000', `${Date.parse(start)}000000`)
            .replaceAll('b7ad6b7169203331', newSpanId())
            .replaceAll('"unique"', JSON.stringify(newId()));
        const groups = [good(), ...texts.slice(1, -1), good()];
        const { status, body } = await sendTo(service.url, path, key, `{"${list}":[${groups.join(',')}]}`);
        expect([status, body.partialSuccess?.errorMessage ?? '']).toEqual([
          200,
          expect.not.stringContaining('could not be read'),
        ]);
        expect(await eventsOf(start)).toBe(2);
      }
      for (const { name, text } of mutantsOf({ [list]: [] }, FEW_VALUES)) {
        const { status } = await sendTo(service.url, path, key, text);
        expect(status, name).toBeLessThan(500);
      }
    },
  );

  it('/otlp/v1/traces as protobuf survives mutants of each field of each message of a span, in each form', async () => {
    const start = nextDay();
    const good = () => resourceSpans({ at: start });
    const damaged = MESSAGES.flatMap((name) => ODD_FIELDS.map((field) => resourceSpans({ [name]: field, at: AT })));
    for (const [spans, message] of [
      [damaged, ''],
      [[resourceSpans({ span: Buffer.from([...tag(5, 2), 2, 0xc3, 0x28]), at: AT })], 'A text is not valid UTF-8'],
    ] as const) {
      const before = await eventsOf(start);
      const { status, bytes } = await sendTo(
        service.url,
        '/otlp/v1/traces',
        key,
        Buffer.concat([good(), ...spans, good()]),
        {
          headers: { 'content-type': 'application/x-protobuf' },
        },
      );
      expect([status, bytes.toString()]).toEqual([200, expect.stringContaining(message)]);
      expect((await eventsOf(start)) - before).toBe(2);
    }
  });
});

const varint = (value: number | bigint): number[] => {
  const rest = BigInt(value) >> 7n;
  return rest === 0n ? [Number(value)] : [Number(BigInt(value) & 127n) | 128, ...varint(rest)];
};
const tag = (field: number, wireType: number) => varint((field << 3) | wireType);
const part = (field: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content as Uint8Array);
  return Buffer.concat([Buffer.from([...tag(field, 2), ...varint(bytes.length)]), bytes]);
};

/** A field of each number and wire type, with contents that are too large, too short or no text. */
const ODD_FIELDS: readonly Buffer[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 1_000].flatMap((field) =>
  [
    [...tag(field, 0), ...Array<number>(9).fill(0xff), 0x01],
    [...tag(field, 0), ...Array<number>(12).fill(0xff)],
    [...tag(field, 1), ...Array<number>(8).fill(0xff)],
    [...tag(field, 1), 0],
    [...tag(field, 2), 0],
    [...tag(field, 2), 2, 0xc3, 0x28],
    [...tag(field, 2), 1, 0],
    [...tag(field, 2), 0x7f, 1],
    [...tag(field, 2), 0xff, 0xff, 0xff, 0xff, 0x0f],
    [...tag(field, 3), ...tag(field, 4)],
    [...tag(field, 3)],
    [...tag(field, 5), 0xff, 0xff, 0xff, 0xff],
    [...tag(field, 6)],
  ].map((bytes) => Buffer.from(bytes)),
);

const MESSAGES = ['resource', 'scope', 'span', 'attribute', 'value'] as const;

/** One span under a resource of its own, with an additional field in one of its messages. */
function resourceSpans(more: Partial<Record<(typeof MESSAGES)[number], Buffer>> & { readonly at: string }): Buffer {
  const of = (name: (typeof MESSAGES)[number]) => more[name] ?? Buffer.alloc(0);
  const attributeOf = (name: string, value: Buffer) => part(9, Buffer.concat([part(1, name), part(2, value)]));
  const nanos = Buffer.alloc(8);
  nanos.writeBigUInt64LE(BigInt(Date.parse(more.at)) * 1_000_000n);
  const span = Buffer.concat([
    part(1, Buffer.alloc(16, 7)),
    part(2, Buffer.from(newSpanId(), 'hex')),
    part(5, 'chat'),
    Buffer.from(tag(7, 1)),
    nanos,
    attributeOf('gen_ai.operation.name', part(1, 'chat')),
    attributeOf('gen_ai.request.model', part(1, 'gpt-4o')),
    attributeOf('gen_ai.usage.input_tokens', Buffer.from([...tag(3, 0), 5])),
    part(9, Buffer.concat([part(1, 'a'), part(2, Buffer.concat([part(1, 'b'), of('value')])), of('attribute')])),
    of('span'),
  ]);
  const scope = Buffer.concat([part(1, 'test'), of('scope')]);
  return part(1, Buffer.concat([part(1, of('resource')), part(2, Buffer.concat([part(1, scope), part(2, span)]))]));
}

describe('/mcp', () => {
  const send = async (messages: readonly string[]) => {
    const { status, body } = await sendTo(
      service.url,
      '/mcp',
      service.firstRun.live_read_key,
      `[${messages.join(',')}]`,
    );
    return {
      status,
      answers: body as {
        id: unknown;
        error?: { message: string };
        result?: { isError?: boolean; content: { text: string }[] };
      }[],
    };
  };
  const ping = (id: string) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

  it('survives mutants of each argument of each tool', async () => {
    const calls = [
      ...ROUTE_CALLS.map(({ tool, args }) => ({ name: tool, arguments: args })),
      ...EXT_TOOL_CALLS.map(({ tool, body }) => ({ name: tool, arguments: body })),
    ];
    const mutants = calls.flatMap(({ name, arguments: args }) =>
      [...mutantsOf(args, FEW_VALUES)].map((mutant) => ({ ...mutant, tool: name })),
    );
    const messages = mutants.map(
      ({ tool, text }, id) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${text}}}`,
    );
    for (let from = 0; from < messages.length; from += 98) {
      const { status, answers } = await send([ping('first'), ...messages.slice(from, from + 98), ping('last')]);
      expect(status).toBe(200);
      const ids = answers.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(['first', 'last']));
      const failed = answers.filter((answer) => JSON.stringify(answer).includes('INTERNAL_SERVER_ERROR'));
      expect(failed.map(({ id }) => mutants[Number(id)])).toEqual([]);
    }
  });

  it('survives mutants of each field of a message', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: {} } };
    for (const { name, text } of mutantsOf(call, FEW_VALUES)) {
      const { status } = await sendTo(service.url, '/mcp', service.firstRun.live_read_key, text);
      expect(status, name).toBeLessThan(500);
    }
  });
});

/** Recorded bodies of real senders. */
const RECORDED = ['usage-readings', 'call-fees']
  .map((name) => readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8'))
  .map((text) => JSON.parse(text) as Recorded | Recorded['calls'])
  .flatMap((recorded) => ('calls' in recorded ? recorded.calls : recorded))
  .flatMap(({ input }) => input.map((body) => JSON.stringify(body)));

interface Recorded {
  readonly calls: readonly { readonly input: readonly unknown[] }[];
}

it('recorded bodies that were cut, spliced and damaged are answered or refused by every endpoint', async () => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    by: fc.oneof(fc.constantFrom(...ODD_VALUES), fc.string({ unit: 'binary', maxLength: 4 }), fc.constant(null)),
  });
  const path = fc.constantFrom(
    '/v1/usage-events/batch',
    '/v1/usage-events',
    '/ext/v1/provider-responses',
    '/ext/v1/litellm',
    '/otlp/v1/traces',
    '/otlp/v1/logs',
  );
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom(...RECORDED),
      fc.array(edit, { maxLength: 3 }),
      async (to, recorded, edits) => {
        let body = recorded;
        for (const { at, length, by } of edits) {
          const start = Math.floor(at * body.length);
          // Null: the part is repeated.
          body = body.slice(0, start) + (by ?? body.slice(start, start + 2 * length)) + body.slice(start + length);
        }
        const answer = to.startsWith('/v1') ? await signed(to, body) : await sendTo(service.url, to, key, body);
        expect(answer.status).toBeLessThan(500);
      },
    ),
    runs(25, { nightly: 500 }),
  );
});

it('whatever was accepted is priced or waits with a reason', async () => {
  await settle(service.url, service.firstRun.operator_token);
  expect(await operate(service, 'mutation { failedEventsRetry { events userErrors { message code } } }')).toEqual({
    failedEventsRetry: { events: 0, userErrors: [] },
  });
});
