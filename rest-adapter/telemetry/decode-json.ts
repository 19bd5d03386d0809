/**
 * OpenTelemetry requests as JSON: ids are hexadecimal, 64-bit integers are strings or numbers, unknown fields are
 * ignored.
 */
import { readJson } from '#platform/request-body/read-json.ts';
import { pace } from '#platform/slices.ts';
import { fail } from '#kernel/errors.ts';
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

export type Signal = 'traces' | 'logs';

export interface Decoded {
  readonly groups: readonly TelemetryGroup[];
  /** One refusal for each record that is missing from `groups`. */
  readonly refusals: readonly Refusal[];
}

const NAMES = {
  traces: { groups: 'resourceSpans', scopes: 'scopeSpans', records: 'spans', what: 'spans' },
  logs: { groups: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords', what: 'log records' },
};
/**
 * An attribute has four JSON values. The limit allows about a hundred values per record in a request of 10,000
 * records.
 */
const RULES = { valuesMax: 1_000_000, depthMax: 100, parse: JSON.parse as (text: string) => unknown };

/**
 * Fails with `VALIDATION_ERROR` for an invalid message, and with `PAYLOAD_TOO_LARGE` beyond the limits of a request.
 */
export async function decodeJson(signal: Signal, body: Buffer, reserve: Reserve): Promise<Decoded> {
  const names = NAMES[signal];
  const request = await readJson(body, RULES);
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    fail('VALIDATION_ERROR', 'The request body must be a JSON object');
  await reserve(countRecords(request, names));
  const { isDue, rest } = pace();
  const groups: TelemetryGroup[] = [];
  const refusals: Refusal[] = [];
  for (const group of listOf(request, names.groups)) {
    if (isDue()) await rest();
    const resource = attributesOf(fieldOf(group, 'resource')) ?? {};
    for (const scoped of listOf(group, names.scopes)) {
      const scope = fieldOf(scoped, 'scope');
      const decoded: TelemetryRecord[] = [];
      for (const item of listOf(scoped, names.records)) {
        const record = readOrRefuse(() => recordOf(signal, item));
        if (record instanceof Refusal) refusals.push(record);
        else decoded.push(record);
        if (isDue()) await rest();
      }
      groups.push({
        resource,
        scope: {
          name: textOf(fieldOf(scope, 'name')).slice(0, NAME_CHARACTERS_MAX),
          version: textOf(fieldOf(scope, 'version')).slice(0, NAME_CHARACTERS_MAX),
          schemaUrl: textOf(fieldOf(scoped, 'schemaUrl')).slice(0, NAME_CHARACTERS_MAX),
        },
        records: decoded,
      });
    }
  }
  return { groups, refusals };
}

function tooMany(what: string): never {
  return fail('PAYLOAD_TOO_LARGE', `A request must not contain more than ${what}`);
}

/** Fails with `PAYLOAD_TOO_LARGE` for too many resources, scopes or records. */
function countRecords(request: object, names: (typeof NAMES)[Signal]): number {
  const groups = listOf(request, names.groups);
  if (groups.length > GROUPS_MAX) tooMany(`${GROUPS_MAX} resources`);
  let scopes = 0;
  let records = 0;
  for (const group of groups) {
    const scoped = listOf(group, names.scopes);
    scopes += scoped.length;
    if (scopes > GROUPS_MAX) tooMany(`${GROUPS_MAX} scopes`);
    for (const one of scoped) records += listOf(one, names.records).length;
    if (records > RECORDS_MAX) tooMany(`${RECORDS_MAX} ${names.what}`);
  }
  return records;
}

function recordOf(signal: Signal, record: unknown): TelemetryRecord | Refusal {
  const attributes = attributesOf(record);
  if (attributes === null) return TOO_MANY_ATTRIBUTES;
  const isLog = signal === 'logs';
  const time = isLog
    ? ['timeUnixNano', 'observedTimeUnixNano']
        .map((name) => numberOf(fieldOf(record, name)) ?? 0)
        .find((one) => one > 0)
    : numberOf(fieldOf(record, 'startTimeUnixNano'));
  const name = isLog
    ? textOf(fieldOf(record, 'eventName')) || textOf(fieldOf(fieldOf(record, 'body'), 'stringValue'))
    : textOf(fieldOf(record, 'name'));
  return {
    traceId: hexOf(fieldOf(record, 'traceId'), 32),
    spanId: hexOf(fieldOf(record, 'spanId'), 16),
    parentSpanId: hexOf(fieldOf(record, 'parentSpanId'), 16),
    name: name.length > NAME_CHARACTERS_MAX ? '' : name,
    startMs: Math.floor((time ?? 0) / 1e6),
    endMs: Math.floor((numberOf(fieldOf(record, 'endTimeUnixNano')) ?? 0) / 1e6),
    status: statusOf(fieldOf(fieldOf(record, 'status'), 'code')),
    attributes,
  };
}

const STATUS_NAMES: readonly unknown[] = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

/** OTLP writes enums as numbers; some senders write their names, as in other JSON forms of protobuf. */
function statusOf(code: unknown): number {
  return numberOf(code) ?? Math.max(STATUS_NAMES.indexOf(code), 0);
}

/** Null if there are too many. */
function attributesOf(holder: unknown): Attributes | null {
  const list = listOf(holder, 'attributes');
  if (list.length > ATTRIBUTES_MAX) return null;
  const set = new AttributeSet();
  for (const item of list) set.add(fieldOf(item, 'key'), valueOf(fieldOf(item, 'value')));
  return set.values;
}

function valueOf(value: unknown): unknown {
  const text = fieldOf(value, 'stringValue');
  if (text !== undefined) return text;
  const whole = fieldOf(value, 'intValue');
  if (whole !== undefined) return numberOf(whole);
  const real = fieldOf(value, 'doubleValue');
  return real === undefined ? fieldOf(value, 'boolValue') : numberOf(real);
}

function fieldOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name] ?? undefined;
}

function listOf(holder: unknown, name: string): readonly unknown[] {
  const list = fieldOf(holder, name);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

function hexOf(value: unknown, digits: number): string {
  const text = textOf(value).toLowerCase();
  return text.length === digits && /^[0-9a-f]+$/.test(text) ? text : '';
}
