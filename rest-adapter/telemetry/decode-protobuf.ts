/**
 * OpenTelemetry requests as protobuf. The outer levels are parsed by hand, so that the memory of a request is
 * accounted for before it is allocated. The contents of a span are decoded by reflection over `otlp.proto`.
 */
import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs';
import { pace } from '#platform/slices.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import type { Reserve } from '../hooks/event-endpoint.ts';
import {
  ATTRIBUTES_MAX,
  AttributeSet,
  type Attributes,
  GROUPS_MAX,
  NAME_CHARACTERS_MAX,
  readOrRefuse,
  RECORDS_MAX,
  Refusal,
  type TelemetryGroup,
  type TelemetryRecord,
  TOO_MANY_ATTRIBUTES,
} from './telemetry-groups.ts';
import type { Decoded, Signal } from './decode-json.ts';
import { otlpMessage } from './otlp-messages.ts';

const RECORDS = {
  traces: { message: 'Span', attributes: 9 },
  logs: { message: 'LogRecord', attributes: 6 },
} as const;

/** Field numbers, identical in requests for spans and for logs. */
const REQUEST_GROUPS = 1;
const GROUP = { resource: 1, scopes: 2 };
const SCOPE_GROUP = { scope: 1, records: 2, schemaUrl: 3 };
const LENGTH_DELIMITED = 2;
/**
 * Maximum fields of one message, known or unknown: more than the largest request has, few enough to parse without
 * yielding.
 */
const FIELDS_MAX = 20_000;

/**
 * Fails with `VALIDATION_ERROR` for an invalid message, and with `PAYLOAD_TOO_LARGE` beyond the limits of a request.
 */
export async function decodeProtobuf(signal: Signal, body: Uint8Array, reserve: Reserve): Promise<Decoded> {
  await reserve(await countRecords(signal, body));
  const { isDue, rest } = pace();
  const groups: TelemetryGroup[] = [];
  const refusals: Refusal[] = [];
  for (const group of partsOf(body, REQUEST_GROUPS)) {
    if (isDue()) await rest();
    const resource = readOrRefuse(() => resourceOf(group));
    for (const scoped of partsOf(group, GROUP.scopes)) {
      if (isDue()) await rest();
      const scope = readOrRefuse(() => scopeOf(scoped));
      const decoded: TelemetryRecord[] = [];
      for (const bytes of partsOf(scoped, SCOPE_GROUP.records)) {
        const [refusal] = [resource, scope].filter((part) => part instanceof Refusal);
        const record = refusal ?? readOrRefuse(() => recordOf(signal, bytes));
        if (record instanceof Refusal) refusals.push(record);
        else decoded.push(record);
        if (isDue()) await rest();
      }
      if (!(resource instanceof Refusal || scope instanceof Refusal))
        groups.push({ resource, scope, records: decoded });
    }
  }
  return { groups, refusals };
}

const NONE: Attributes = Object.freeze({});

/**
 * Reads all levels above the records. Fails with `VALIDATION_ERROR` if they are invalid, and with `PAYLOAD_TOO_LARGE`
 * for too many resources, scopes or records.
 */
async function countRecords(signal: Signal, body: Uint8Array): Promise<number> {
  const { isDue, rest } = pace();
  let [resources, scopes, records] = [0, 0, 0];
  try {
    for (const group of partsOf(body, REQUEST_GROUPS)) {
      if (++resources > GROUPS_MAX) tooMany(`${GROUPS_MAX} resources`);
      for (const scoped of partsOf(group, GROUP.scopes)) {
        if (++scopes > GROUPS_MAX) tooMany(`${GROUPS_MAX} scopes`);
        for (const _ of partsOf(scoped, SCOPE_GROUP.records)) {
          if (++records > RECORDS_MAX) tooMany(`${RECORDS_MAX} ${signal === 'traces' ? 'spans' : 'log records'}`);
        }
        if (isDue()) await rest();
      }
      if (isDue()) await rest();
    }
  } catch (error) {
    // The library throws a RangeError for a truncated or too deeply nested message, and an Error for an invalid one.
    if (error instanceof KnownError) throw error;
    return fail('VALIDATION_ERROR', 'The body is not a valid protobuf message of OpenTelemetry');
  }
  return records;
}

function resourceOf(group: Uint8Array): Attributes {
  const [bytes] = partsOf(group, GROUP.resource);
  return (bytes === undefined ? null : attributesOf('Resource', bytes, 1)) ?? NONE;
}

function scopeOf(scoped: Uint8Array): TelemetryGroup['scope'] {
  const [bytes] = partsOf(scoped, SCOPE_GROUP.scope);
  const { name = '', version = '' } = (bytes === undefined ? {} : decode('InstrumentationScope', bytes)) as {
    name?: string;
    version?: string;
  };
  const [schemaUrl] = partsOf(scoped, SCOPE_GROUP.schemaUrl);
  return {
    name: name.slice(0, NAME_CHARACTERS_MAX),
    version: version.slice(0, NAME_CHARACTERS_MAX),
    schemaUrl: schemaUrl === undefined ? '' : Buffer.from(schemaUrl).toString('utf8', 0, NAME_CHARACTERS_MAX),
  };
}

function tooMany(what: string): never {
  return fail('PAYLOAD_TOO_LARGE', `A request must not contain more than ${what}`);
}

/** Yields the contents of each occurrence of a message or string field, without copying. */
function* partsOf(bytes: Uint8Array, field: number): Generator<Uint8Array> {
  const reader = protobuf.Reader.create(bytes);
  let fields = 0;
  while (reader.pos < reader.len) {
    if (++fields > FIELDS_MAX) tooMany(`${FIELDS_MAX} fields in a message`);
    const tag = reader.uint32();
    if (tag >>> 3 === field && (tag & 7) === LENGTH_DELIMITED) {
      const length = reader.uint32();
      const from = reader.pos;
      reader.skip(length);
      yield bytes.subarray(from, from + length);
    } else {
      if (tag >>> 3 === 0) throw new Error('No field has the number 0');
      reader.skipType(tag & 7);
    }
  }
}

/**
 * Fails with `VALIDATION_ERROR` for a string that is not UTF-8: the library would replace the bytes, and two strings
 * could become equal.
 */
function decode(name: 'InstrumentationScope' | 'LogRecord' | 'Resource' | 'Span', bytes: Uint8Array): unknown {
  const type = otlpMessage(name);
  const message = type.decode(bytes);
  if (hasReplacement(message) && !isUtf8Throughout(type, bytes)) fail('VALIDATION_ERROR', 'A text is not valid UTF-8');
  return message;
}

/** True if a string contains the replacement character of a decoder, which a sender may also have sent. */
function hasReplacement(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\ufffd');
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return Object.values(value).some(hasReplacement);
}

function isUtf8Throughout(type: protobuf.Type, bytes: Uint8Array): boolean {
  return type.fieldsArray.every(({ id, type: name, resolvedType }) => {
    if (name === 'string') return [...partsOf(bytes, id)].every((text) => isUtf8(text));
    return (
      !(resolvedType instanceof protobuf.Type) ||
      [...partsOf(bytes, id)].every((part) => isUtf8Throughout(resolvedType, part))
    );
  });
}

interface DecodedRecord {
  readonly traceId?: Uint8Array;
  readonly spanId?: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly name?: string;
  readonly eventName?: string;
  readonly body?: DecodedValue | null;
  readonly startTimeUnixNano?: Wide;
  readonly endTimeUnixNano?: Wide;
  readonly status?: { readonly code?: number } | null;
  readonly timeUnixNano?: Wide;
  readonly observedTimeUnixNano?: Wide;
}

type Wide = number | { toNumber(): number; toString(): string };
interface DecodedValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: Wide;
  readonly doubleValue?: number;
}

function recordOf(signal: Signal, bytes: Uint8Array): TelemetryRecord | Refusal {
  const { message, attributes: field } = RECORDS[signal];
  if (hasMore(bytes, field)) return TOO_MANY_ATTRIBUTES;
  const record = decode(message, bytes) as DecodedRecord & { attributes?: DecodedAttribute[] };
  const isLog = signal === 'logs';
  const time = isLog ? firstTime(record.timeUnixNano, record.observedTimeUnixNano) : wide(record.startTimeUnixNano);
  const name = isLog ? record.eventName || (record.body?.stringValue ?? '') : (record.name ?? '');
  return {
    traceId: hexOf(record.traceId, 16),
    spanId: hexOf(record.spanId, 8),
    parentSpanId: hexOf(record.parentSpanId, 8),
    name: name.length > NAME_CHARACTERS_MAX ? '' : name,
    startMs: Math.floor(time / 1e6),
    endMs: Math.floor(wide(record.endTimeUnixNano) / 1e6),
    status: record.status?.code ?? 0,
    attributes: setOf(record.attributes ?? []),
  };
}

function hasMore(bytes: Uint8Array, field: number): boolean {
  let count = 0;
  for (const part of partsOf(bytes, field)) if (part !== undefined && ++count > ATTRIBUTES_MAX) return true;
  return false;
}

function attributesOf(message: 'Resource', bytes: Uint8Array, field: number): Attributes | null {
  if (hasMore(bytes, field)) return null;
  return setOf((decode(message, bytes) as { attributes?: DecodedAttribute[] }).attributes ?? []);
}

interface DecodedAttribute {
  readonly key?: string;
  readonly value?: DecodedValue | null;
}

function setOf(list: readonly DecodedAttribute[]): Attributes {
  const set = new AttributeSet();
  for (const { key, value } of list) if (value) set.add(key, valueOf(value));
  return set.values;
}

/** Unset union members have their default on the prototype of the decoded object, so only own properties were sent. */
function valueOf(value: DecodedValue): unknown {
  if (Object.hasOwn(value, 'stringValue')) return value.stringValue;
  if (Object.hasOwn(value, 'intValue')) return wide(value.intValue);
  if (Object.hasOwn(value, 'doubleValue')) return value.doubleValue;
  return Object.hasOwn(value, 'boolValue') ? value.boolValue : undefined;
}

function wide(value: Wide | null | undefined): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' ? value : Number(value.toString());
}

function firstTime(...times: readonly (Wide | undefined)[]): number {
  return times.map(wide).find((time) => time > 0) ?? 0;
}

function hexOf(bytes: Uint8Array | undefined, length: number): string {
  return bytes?.length === length ? Buffer.from(bytes).toString('hex') : '';
}
