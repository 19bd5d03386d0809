/** Both decoders: the same message gives the same result in both formats, and invalid bytes do no harm. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { isContentName } from '../../../rest-adapter/telemetry/content-names.ts';
import { decodeJson as decodeJsonBody, type Signal } from '../../../rest-adapter/telemetry/decode-json.ts';
import { decodeProtobuf as decodeProtobufBody } from '../../../rest-adapter/telemetry/decode-protobuf.ts';
import { KnownError } from '#kernel/errors.ts';
import { runs } from '../../support/property-runs.ts';

/** These tests are not about rate limits. */
const free = async () => {};
const decodeJson = (signal: Signal, body: Buffer) => decodeJsonBody(signal, body, free);
const decodeProtobuf = (signal: Signal, body: Uint8Array) => decodeProtobufBody(signal, body, free);

/** Complete messages, with the parts that the decoder skips: events, links, arrays, maps, bytes. */
const WHOLE = `syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message TracesRequest { repeated ResourceSpans resource_spans = 1; }
message LogRecord { fixed64 time_unix_nano = 1; AnyValue body = 5; repeated KeyValue attributes = 6; bytes trace_id = 9; bytes span_id = 10;
  fixed64 observed_time_unix_nano = 11; string event_name = 12; }
message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message LogsRequest { repeated ResourceLogs resource_logs = 1; }`;
const root = protobuf.parse(WHOLE).root;
const TYPES = { traces: root.lookupType('TracesRequest'), logs: root.lookupType('LogsRequest') };

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.toWellFormed().replaceAll('\0', ''));
const name = fc.oneof(
  text,
  fc.constantFrom('gen_ai.usage.input_tokens', 'gen_ai.prompt', 'user.id', '__proto__', 'constructor'),
);
const whole = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map(String);
const { value: anyValue } = fc.letrec<{ value: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    whole.map((intValue) => ({ intValue })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((doubleValue) => ({ doubleValue: doubleValue + 0 })),
    fc.array(tie('value'), { maxLength: 2 }).map((values) => ({ arrayValue: { values } })),
  ),
}));
const attributes = fc.array(fc.record({ key: name, value: anyValue }), { maxLength: 6 });
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
const nanos = fc.bigInt({ min: 0n, max: 1_900_000_000_000_000_000n }).map(String);
const scope = fc.record({ name: text, version: text });
const resource = fc.record({ attributes });
const span = fc.record(
  {
    traceId: hex(16),
    spanId: hex(8),
    parentSpanId: hex(8),
    name: text,
    kind: fc.integer({ min: 0, max: 5 }),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: fc.array(fc.record({ name: text, attributes }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const log = fc.record(
  {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    traceId: hex(16),
    spanId: hex(8),
    eventName: text,
    body: anyValue,
    attributes,
  },
  { requiredKeys: [] },
);
const requests: Readonly<Record<Signal, fc.Arbitrary<object>>> = {
  traces: fc.record({
    resourceSpans: fc.array(
      fc.record({
        resource,
        scopeSpans: fc.array(fc.record({ scope, schemaUrl: text, spans: fc.array(span, { maxLength: 4 }) }), {
          maxLength: 3,
        }),
      }),
      { maxLength: 3 },
    ),
  }),
  logs: fc.record({
    resourceLogs: fc.array(
      fc.record({
        resource,
        scopeLogs: fc.array(fc.record({ scope, schemaUrl: text, logRecords: fc.array(log, { maxLength: 4 }) }), {
          maxLength: 3,
        }),
      }),
      { maxLength: 3 },
    ),
  }),
};

/** Ids are hexadecimal in JSON, and bytes in protobuf. */
function toBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      /^(?:traceId|spanId|parentSpanId)$/.test(key)
        ? [key, Buffer.from(inner as string, 'hex')]
        : [key, toBytes(inner)],
    ),
  );
}

function encode(signal: Signal, message: object): Uint8Array {
  const type = TYPES[signal];
  return type.encode(type.fromObject(toBytes(message) as object)).finish();
}

describe.each(['traces', 'logs'] as const)('%s', (signal) => {
  it('are the same in JSON and in protobuf', async () => {
    await fc.assert(
      fc.asyncProperty(requests[signal], async (message) => {
        const fromJson = await decodeJson(signal, Buffer.from(JSON.stringify(message)));
        const fromBytes = await decodeProtobuf(signal, encode(signal, message));
        expect(fromBytes).toEqual(fromJson);
      }),
      runs(100, { nightly: 1_000 }),
    );
  });

  it('of random or damaged bytes are either read or refused, without any other effect', async () => {
    const damaged = fc
      .tuple(requests[signal], fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }), fc.nat())
      .map(([message, changes, cut]) => {
        const bytes = Buffer.from(encode(signal, message));
        for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value;
        return bytes.subarray(0, bytes.length - (cut % 3));
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), async (bytes) => {
        for (const decode of [decodeProtobuf, decodeJson]) {
          const outcome = await decode(signal, Buffer.from(bytes)).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(KnownError);
        }
      }),
      runs(200, { nightly: 5_000 }),
    );
  });
});

describe('a body that expands', () => {
  const heapOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.memoryUsage().heapUsed;
    const outcome = await work().catch((error: unknown) => error);
    const after = process.memoryUsage().heapUsed;
    return outcome === undefined ? 0 : after - before;
  };
  const field = (number: number, content: Buffer) => {
    const writer = protobuf.Writer.create()
      .uint32((number << 3) | 2)
      .bytes(content);
    return Buffer.from(writer.finish());
  };
  const MIB = 1024 * 1024;

  it.each<[string, Buffer]>([
    ['empty resources', Buffer.alloc(8 * MIB, Buffer.from([0x0a, 0x00]))],
    ['empty scopes', field(1, Buffer.alloc(8 * MIB, Buffer.from([0x12, 0x00])))],
    ['empty spans', field(1, field(2, Buffer.alloc(8 * MIB, Buffer.from([0x12, 0x00]))))],
    ['empty attributes', field(1, field(2, field(2, Buffer.alloc(8 * MIB, Buffer.from([0x4a, 0x00])))))],
    ['groups within groups', field(1, field(2, field(2, Buffer.alloc(8 * MIB, Buffer.from([0xa3, 0x06])))))],
  ])('needs a bounded amount of memory: %s', async (_title, body) => {
    expect(await heapOf(() => decodeProtobuf('traces', body))).toBeLessThan(128 * MIB);
  });

  it('is refused if it is nested too deeply', async () => {
    const deep = Buffer.from('{"a":'.repeat(200_000));
    await expect(decodeJson('traces', deep)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('attributes named like members of objects are data', async () => {
  const attributes = ['__proto__', 'constructor', 'toString'].map((key) => ({ key, value: { stringValue: 'x' } }));
  const message = { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] };
  const { groups } = await decodeJson('traces', Buffer.from(JSON.stringify(message)));
  expect(Object.entries(groups[0]!.records[0]!.attributes)).toEqual([
    ['constructor', 'x'],
    ['toString', 'x'],
  ]);
  expect(({} as { x?: string }).x).toBeUndefined();
});

it('attributes that count tokens are not dropped as content', () => {
  const names = [
    'gen_ai.usage.prompt_tokens',
    'gen_ai.usage.completion_tokens',
    'input_tokens',
    'ai.response.id',
    'prompt.id',
  ];
  expect(names.filter(isContentName)).toEqual([]);
  expect(readFileSync(new URL('../../../rest-adapter/telemetry/otlp.proto', import.meta.url), 'utf8')).toContain(
    'Apache License 2.0',
  );
});
