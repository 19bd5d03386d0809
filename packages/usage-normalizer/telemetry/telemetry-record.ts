/** Spans and log records as passed on by the edge, and functions to read them. */

import { objectOf } from '#kernel/json/json-object.ts';
import { countOrNull } from '../counts/value-at.ts';

type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

interface Scope {
  readonly name: string;
  readonly version: string;
  /** Version URL of the semantic conventions used for its attribute names. */
  readonly schemaUrl: string;
}

export interface TelemetryRecord {
  readonly resource: Attributes;
  readonly scope: Scope;
  /** 32 hexadecimal digits, or empty. */
  readonly traceId: string;
  /** 16 hexadecimal digits, or empty. */
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** Milliseconds since 1970; 0 if missing. */
  readonly startMs: number;
  /** The end of a span; 0 if missing. */
  readonly endMs: number;
  /** The status of a span: 1 for OK, 2 for an error; anything else means that it is not set. */
  readonly status: number;
  readonly attributes: Attributes;
}

export type Signal = 'TRACES' | 'LOGS';

/** Accepts data of another process; malformed parts are ignored. */
export function parseTelemetry(groups: unknown): TelemetryRecord[] {
  return listOf(groups).flatMap((group): TelemetryRecord[] => {
    const { resource, scope, records } = objectOf(group);
    const { name, version, schemaUrl } = objectOf(scope);
    const origin = {
      resource: attributesOf(resource),
      scope: { name: textOf(name), version: textOf(version), schemaUrl: textOf(schemaUrl) },
    };
    return listOf(records).map((record) => {
      const fields = objectOf(record);
      return {
        ...origin,
        traceId: textOf(fields['traceId']),
        spanId: textOf(fields['spanId']),
        parentSpanId: textOf(fields['parentSpanId']),
        name: textOf(fields['name']),
        startMs: numberOf(fields['startMs']),
        endMs: numberOf(fields['endMs']),
        status: numberOf(fields['status']),
        attributes: attributesOf(fields['attributes']),
      };
    });
  });
}

/** The first of these attributes that is a non-empty text or a number. */
export function firstText(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = own(attributes, name);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}

/**
 * The first of these attributes that is a count. A zero next to a count under another name is a field that the sender did
 * not fill in.
 */
export function firstCount(attributes: Attributes, names: readonly string[]): number | null {
  const counts = names.flatMap((name) => countOrNull(own(attributes, name)) ?? []);
  return counts.find((count) => count > 0) ?? counts[0] ?? null;
}

/** An attribute by name; never an inherited property. */
export function own(attributes: Attributes, name: string): AttributeValue | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

/** The JSON object in a text attribute; `{}` for anything else. */
export function parsedText(attributes: Attributes, name: string): Readonly<Record<string, unknown>> {
  const text = own(attributes, name);
  if (typeof text !== 'string') return {};
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function attributesOf(value: unknown): Attributes {
  return objectOf(value) as Attributes;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
