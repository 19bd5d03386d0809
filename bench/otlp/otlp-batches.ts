/** The same events as signed batches of `/v1`, and as spans of OpenTelemetry in JSON and in protobuf. */
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import { EVENTS_PER_BATCH, sign, type SignedRequest } from '../support/signed-batches.ts';
import { usageEvent } from '../workload/usage-event.ts';

export type Form = 'v1' | 'json' | 'protobuf';

const PROTO = readFileSync(new URL('../../rest-adapter/telemetry/otlp.proto', import.meta.url), 'utf8');
/** The outer messages, which the service parses by hand. */
const ENVELOPE = `
message Scoped { InstrumentationScope scope = 1; repeated Span spans = 2; }
message Grouped { Resource resource = 1; repeated Scoped scopeSpans = 2; }
message Request { repeated Grouped resourceSpans = 1; }`;
const Request = protobuf.parse(PROTO + ENVELOPE).root.lookupType('books.Request');

const TEMPLATES = 32;
const DIGITS = 10;
const PLACEHOLDER = '#'.repeat(DIGITS);
const CONTENT_TYPES = { v1: 'application/json', json: 'application/json', protobuf: 'application/x-protobuf' } as const;

/** Returns the next batch. A call has the same names, counts and times in every form. */
export function batchesAs(form: Form, apiKey: string): () => SignedRequest {
  const run = randomBytes(6).toString('hex');
  const templates = Array.from({ length: TEMPLATES }, (_, template) => templateOf(form, run, template));
  let made = 0;
  return () => {
    const template = templates[made % TEMPLATES]!;
    const body = Buffer.from(template.body);
    const number = String(made++).padStart(DIGITS, '0');
    for (const position of template.positions) body.write(number, position, 'latin1');
    const signed = sign(body, apiKey);
    if (form === 'v1') return signed;
    const headers = { ...signed.headers, 'content-type': CONTENT_TYPES[form] };
    return { ...signed, headers, path: '/otlp/v1/traces', accepted: form === 'json' ? /^\{\}$/ : /^$/ };
  };
}

function templateOf(form: Form, run: string, template: number): { body: Buffer; positions: readonly number[] } {
  const before = now();
  const calls = Array.from({ length: EVENTS_PER_BATCH }, (_, item) => {
    const {
      metadata: _metadata,
      feature: _feature,
      ...call
    } = usageEvent(template * EVENTS_PER_BATCH + item, `${run}-${PLACEHOLDER}-${item}`, before);
    return call;
  });
  const body = form === 'v1' ? Buffer.from(JSON.stringify(calls)) : spansOf(form, calls);
  const positions: number[] = [];
  for (let at = body.indexOf(PLACEHOLDER); at >= 0; at = body.indexOf(PLACEHOLDER, at + DIGITS)) positions.push(at);
  return { body, positions };
}

type Call = Omit<ReturnType<typeof usageEvent>, 'metadata' | 'feature'>;

function spansOf(form: 'json' | 'protobuf', calls: readonly Call[]): Buffer {
  const spans = calls.map((call, item) => {
    const startTimeUnixNano = `${Date.parse(call.event_invoked_at)}000000`;
    const [traceId, spanId] = [item.toString(16).padStart(32, '0'), item.toString(16).padStart(16, '0')];
    const attributes = Object.entries({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': call.provider,
      'gen_ai.request.model': call.model,
      'gen_ai.response.id': call.idempotency_key,
      'gen_ai.usage.input_tokens': call.input_tokens,
      'gen_ai.usage.output_tokens': call.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': call.cache_read_input_tokens ?? 0,
      'gen_ai.agent.name': call.agent_id,
      'session.id': call.session_id ?? call.idempotency_key,
      'user.id': call.user_id,
    }).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    }));
    return { traceId, spanId, name: `chat ${call.model}`, startTimeUnixNano, attributes };
  });
  const scope = { name: 'opentelemetry.instrumentation.openai', version: '0.50.0' };
  const request = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope, spans }] }] };
  if (form === 'json') return Buffer.from(JSON.stringify(request));
  const inBytes = spans.map((span) => ({
    ...span,
    traceId: Buffer.from(span.traceId, 'hex'),
    spanId: Buffer.from(span.spanId, 'hex'),
  }));
  return Buffer.from(
    Request.encode(Request.fromObject({ resourceSpans: [{ scopeSpans: [{ scope, spans: inBytes }] }] })).finish(),
  );
}
