/**
 * OTLP over HTTP according to its specification: content types, compression, limits, errors, and the official
 * exporters.
 */
import { gzipSync } from 'node:zlib';
import { SpanStatusCode } from '@opentelemetry/api';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { TracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { settle, sign } from '../../support/api-client.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { logs, operate, sendTo, traces, unsignedKey } from '../../support/telemetry.ts';

const TRACES = '/otlp/v1/traces';
const LOGS = '/otlp/v1/logs';
const PROTOBUF = { headers: { 'content-type': 'application/x-protobuf' } };
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

const usage = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 1000,
  'gen_ai.usage.output_tokens': 100,
};

async function eventOf(idempotencyKey: string): Promise<any> {
  await settle(service.url, service.firstRun.operator_token);
  const document = `query ($key: String!) {
    receivedEvent(idempotencyKey: $key) { model totalCost reading endUserExternalId sessionId inputTokens metadata }
  }`;
  return (await operate(service, document, { key: idempotencyKey })).receivedEvent;
}

describe('the official exporters', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  const configure = (compression: string) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `${service.url}/otlp`);
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `Authorization=Bearer ${key}`);
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', compression);
  };
  const exporters: [string, string, () => SpanExporter][] = [
    ['http/json', 'none', () => new JsonExporter()],
    ['http/json', 'gzip', () => new JsonExporter()],
    ['http/protobuf', 'none', () => new ProtobufExporter()],
    ['http/protobuf', 'gzip', () => new ProtobufExporter()],
  ];

  it.each(exporters)(
    'send spans with %s, compression %s, configured only by environment variables',
    async (form, pack, make) => {
      configure(pack);
      const resource = resourceFromAttributes({ 'service.name': 'shop' });
      const provider = new TracerProvider({
        resource,
        spanProcessors: [new SimpleSpanProcessor({ exporter: make() })],
      });
      const id = `chatcmpl-${form}-${pack}`;
      const span = provider.getTracer('my-app', '1.2.3').startSpan('chat gpt-4o');
      span.setAttributes({
        ...usage,
        'gen_ai.response.id': id,
        'user.id': 'customer-7',
        'gen_ai.request.temperature': 0.5,
      });
      span.setAttribute('gen_ai.response.finish_reasons', ['stop']);
      span.addEvent('gen_ai.content.prompt', { 'gen_ai.prompt': 'hello' });
      span.end();
      await provider.forceFlush();
      await provider.shutdown();
      expect(await eventOf(`openai:${id}`)).toMatchObject({
        model: 'gpt-4o',
        totalCost: '0.0035',
        endUserExternalId: 'customer-7',
        metadata: { telemetry: { scope: 'my-app', version: '1.2.3' } },
      });
    },
  );

  it.each([
    ['http/json', () => new JsonExporter()],
    ['http/protobuf', () => new ProtobufExporter()],
  ])('send the span of a task with %s, which is an outcome', async (form, make) => {
    configure('none');
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: make() })] });
    const span = provider.getTracer('my-app').startSpan('answer ticket');
    const task = `ticket-${form}`;
    span.setAttributes({
      'gen_ai.operation.name': 'task',
      'gen_ai.task.id': task,
      'user.id': 'customer-7',
      'ai_product_books.task.value': 1.5,
    });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'the answer was wrong' });
    span.end();
    await provider.forceFlush();
    await provider.shutdown();
    const { traceId, spanId } = span.spanContext();
    const document = `query ($key: String!) {
      outcome(key: $key) { name succeeded task endUser { externalId } value currency metadata }
    }`;
    expect((await operate(service, document, { key: `otlp:${traceId}:${spanId}` })).outcome).toEqual({
      name: 'answer ticket',
      succeeded: false,
      task,
      endUser: { externalId: 'customer-7' },
      value: '1.5',
      currency: 'USD',
      metadata: {},
    });
  });

  it.each([
    ['http/json', () => new JsonLogExporter()],
    ['http/protobuf', () => new ProtobufLogExporter()],
  ])('send logs of Claude Code with %s', async (form, make) => {
    configure('none');
    const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: make() })] });
    provider.getLogger('com.anthropic.claude_code.events', '2.1.0').emit({
      body: 'claude_code.api_request',
      attributes: claudeCode(`req_${form}`),
    });
    await provider.forceFlush();
    await provider.shutdown();
    expect(await eventOf(`anthropic:req_${form}`)).toMatchObject({
      totalCost: '0.0585',
      reading: 'opentelemetry-exclusive',
      sessionId: 's-1',
      endUserExternalId: 'developer-1',
      metadata: { reported_cost: '0.0585' },
    });
  });
});

/** $3 × 2,000 + $15 × 1,000 + $0.30 × 100,000 + $3.75 × 2,000 per million. */
const claudeCode = (request: string) => ({
  'event.name': 'api_request',
  'session.id': 's-1',
  'user.id': 'developer-1',
  request_id: request,
  model: 'claude-sonnet-4-5-20250929',
  input_tokens: '2000',
  output_tokens: '1000',
  cache_read_tokens: '100000',
  cache_creation_tokens: '2000',
  cost_usd: '0.0585',
});

describe('logs of coding agents', () => {
  it('count a record of Claude Code once, even without its request id, and no other records', async () => {
    const { request_id: _, ...nameless } = claudeCode('');
    const record = {
      name: 'claude_code.api_request',
      attributes: { ...nameless, 'session.id': 's-2' },
      atMs: 1_790_000_000_000,
    };
    const prompt = { name: 'claude_code.user_prompt', attributes: { 'event.name': 'user_prompt', prompt: 'secret' } };
    const first = await sendTo(service.url, LOGS, key, logs(record, prompt));
    const again = await sendTo(service.url, LOGS, key, logs(record));
    expect([first.body, again.body]).toEqual([{}, {}]);
    const { telemetrySources } = await operate(
      service,
      '{ telemetrySources { endpoint name billed duplicates ignored { reason count } } }',
    );
    expect(telemetrySources).toContainEqual({
      endpoint: 'OTLP_LOGS',
      name: 'test',
      billed: 1,
      duplicates: 1,
      ignored: [{ reason: 'not_a_call', count: 1 }],
    });
  });

  it('count a completed response of Codex, with cached tokens as part of the input', async () => {
    const attributes = {
      'event.name': 'codex.sse_event',
      'event.kind': 'response.completed',
      'conversation.id': 'c-9',
      'event.timestamp': '2026-11-01T00:00:00.000Z',
      model: 'gpt-5',
      input_token_count: '12000',
      output_token_count: '1000',
      cached_token_count: 10000,
      reasoning_token_count: 400,
    };
    const atMs = 1_790_000_000_000;
    const other = { attributes: { ...attributes, 'event.kind': 'response.created' } };
    await sendTo(service.url, LOGS, key, logs({ attributes, atMs }, other));
    const codexKey = `codex:c-9:${atMs}-2026-11-01T00:00:00.000Z-----12000-1000-10000-`;
    // $1.25 × 2,000 + $0.125 × 10,000 + $10 × 1,000 per million.
    expect(await eventOf(codexKey)).toMatchObject({ totalCost: '0.01375', reading: 'opentelemetry' });
  });
});

describe('200', () => {
  it('responds to a connection test and an empty request', async () => {
    const headers = { 'x-test-connection': 'true' };
    expect(await sendTo(service.url, TRACES, key, '', { headers })).toMatchObject({ status: 200, body: {} });
    expect(await sendTo(service.url, TRACES, key, {})).toMatchObject({ status: 200, body: {} });
    const empty = await sendTo(service.url, TRACES, key, Buffer.alloc(0), PROTOBUF);
    expect([empty.status, empty.headers.get('content-type'), empty.bytes.length]).toEqual([
      200,
      'application/x-protobuf',
      0,
    ]);
  });

  it('accepts what it can and reports what it cannot, so that no sender retries it', async () => {
    const good = { attributes: { ...usage, 'gen_ai.response.id': 'chatcmpl-partial' } };
    const { 'gen_ai.request.model': _, ...nameless } = usage;
    const { status, body } = await sendTo(service.url, TRACES, key, traces(good, { attributes: nameless }));
    expect([status, body]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: '1', errorMessage: 'model is required' } },
    ]);
    expect(await eventOf('openai:chatcmpl-partial')).toMatchObject({ totalCost: '0.0035' });
  });

  it('refuses only the span with too many attributes', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, 1]));
    const { body } = await sendTo(service.url, TRACES, key, traces({ attributes: many }));
    expect(body).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
  });

  it('accepts a signed request of a key that may not write unsigned', async () => {
    const signer = service.firstRun.live_ingest_key;
    const body = JSON.stringify(traces({ attributes: { ...usage, 'gen_ai.response.id': 'chatcmpl-signed' } }));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = { 'x-timestamp': timestamp, 'x-signature': sign(signer, timestamp, body) };
    expect(await sendTo(service.url, TRACES, signer, body, { headers })).toMatchObject({ status: 200, body: {} });
    const wrong = { ...headers, 'x-signature': sign('other', timestamp, body) };
    expect(await sendTo(service.url, TRACES, signer, body, { headers: wrong })).toMatchObject({ status: 401 });
    const packed = gzipSync(body);
    const gzip = { ...headers, 'content-encoding': 'gzip' };
    expect(await sendTo(service.url, TRACES, signer, packed, { headers: gzip })).toMatchObject({ status: 401 });
    const overPacked = { ...gzip, 'x-signature': sign(signer, timestamp, packed) };
    expect(await sendTo(service.url, TRACES, signer, packed, { headers: overPacked })).toMatchObject({ status: 200 });
  });
});

describe('errors are a Status in the format of the request, and only temporary ones are retryable', () => {
  it.each<[string, number, string, unknown, object]>([
    ['malformed JSON', 400, TRACES, '{"resourceSpans":', {}],
    ['a list', 400, TRACES, '[]', {}],
    ['malformed gzip', 400, TRACES, Buffer.from('no'), { headers: { 'content-encoding': 'gzip' } }],
    ['another type', 415, TRACES, 'text', { headers: { 'content-type': 'text/plain' } }],
    ['another compression', 415, TRACES, '{}', { headers: { 'content-encoding': 'br' } }],
    ['a body that is larger when it is unpacked', 413, TRACES, Buffer.alloc(16 * 1024 * 1024 + 1, 32), { gzip: true }],
    ['a body that is too large', 413, TRACES, Buffer.alloc(4 * 1024 * 1024 + 1, 32), {}],
    [
      'more spans than a request may hold',
      413,
      TRACES,
      { resourceSpans: [{ scopeSpans: [{ spans: Array(10_001).fill({}) }] }] },
      {},
    ],
    ['another path', 404, '/otlp/v1/metrics', '{}', {}],
  ])('%s', async (_title, status, path, body, options) => {
    const answer = await sendTo(service.url, path, key, body, options);
    expect(answer).toMatchObject({ status, body: { code: expect.any(Number), message: expect.any(String) } });
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('invalid protobuf', async () => {
    const answer = await sendTo(service.url, TRACES, key, Buffer.from([0x0a, 0xff, 0xff]), PROTOBUF);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/x-protobuf']);
    expect(answer.bytes.toString()).toContain('not a valid protobuf message');
  });

  it('an invalid key, one without the scope, and one that must sign', async () => {
    const { live_read_key: reader, live_ingest_key: signer } = service.firstRun;
    const statuses = [];
    for (const one of ['nothing', reader, signer])
      statuses.push((await sendTo(service.url, TRACES, one, traces())).status);
    expect(statuses).toEqual([401, 403, 403]);
  });

  it('counts events, not requests, and says when to retry', async () => {
    const limited = await runningService({ INGEST_RATE_LIMIT: '1;w=60' });
    try {
      const own = await unsignedKey(limited);
      const spans = (count: number) => traces(...Array.from({ length: count }, () => ({ attributes: usage })));
      const first = await sendTo(limited.url, TRACES, own, spans(60));
      expect([first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual([
        200,
        '100',
        '40',
      ]);
      const second = await sendTo(limited.url, TRACES, own, spans(60));
      expect(second).toMatchObject({ status: 429, body: { code: 8 } });
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
      // Only the refused request itself was not stored.
      const third = await sendTo(limited.url, TRACES, own, spans(40));
      expect([third.status, third.headers.get('ratelimit-remaining')]).toEqual([200, '0']);
      expect((await sendTo(limited.url, TRACES, own, spans(1))).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});
