/**
 * The part of an OpenTelemetry request that is passed on: spans or logs by resource and scope, without prompts and
 * completions.
 */
import { KnownError } from '#kernel/errors.ts';
import { countTelemetryTools } from '#usage/telemetry/count-telemetry-tools.ts';
import { isContentName } from './content-names.ts';
import { factsInContent } from './facts-in-content.ts';

export interface TelemetryGroup {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string; readonly schemaUrl: string };
  readonly records: readonly TelemetryRecord[];
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span or a log record. For a log record, `startMs` is its time and `name` its event name. */
export interface TelemetryRecord {
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
  /** The status of a span: 1 for OK, 2 for an error, 0 if it is not set. */
  readonly status: number;
  readonly attributes: Attributes;
}

/** Limits of one request. */
export const GROUPS_MAX = 10_000;
export const RECORDS_MAX = 10_000;
export const ATTRIBUTES_MAX = 1_000;
export const NAME_CHARACTERS_MAX = 256;
const TEXT_CHARACTERS_MAX = 1024;

/** Why a record, or the resource or scope that it belongs to, cannot be read. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export const TOO_MANY_ATTRIBUTES = new Refusal('Too many attributes');

/** Reads one part of a request. If its content causes an exception, only the records of this part are refused. */
export function readOrRefuse<Part>(read: () => Part): Part | Refusal {
  try {
    return read();
  } catch (error) {
    return new Refusal(error instanceof KnownError ? error.message : 'This record could not be read');
  }
}

/** A provider's usage object as JSON, which some senders put into a single attribute. */
const USAGE_TEXTS = /raw.*usage$|providerMetadata$|usage_object$|(?:usage|cost)_details$|^ai\.(?:response\.)?usage$/;
const USAGE_CHARACTERS_MAX = 16 * 1024;
/** A complete usage event of our own libraries, which contains no text written by people. */
const USAGE_EVENT = 'ai_product_books.usage_event';
const USAGE_EVENT_CHARACTERS_MAX = 64 * 1024;

/** Collects attributes. Drops long texts, and attributes whose names stand for text written by people. */
export class AttributeSet {
  readonly values: Record<string, string | number | boolean> = Object.create(null) as Record<
    string,
    string | number | boolean
  >;

  add(name: unknown, value: unknown): void {
    if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX || name === '__proto__') return;
    if (typeof value === 'string') {
      Object.assign(this.values, countTelemetryTools(name, value), factsInContent(name, value));
      const text = name.endsWith(PROVIDER_METADATA) ? withoutContent(value) : value;
      if (text.length > charactersMax(name)) return;
      if (isContentName(name) && !USAGE_TEXTS.test(name)) return;
      this.values[name] = text;
    } else if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      this.values[name] = value;
    }
  }
}

const PROVIDER_METADATA = 'providerMetadata';
const METADATA_CHARACTERS_MAX = 1024 * 1024;
/** Fields of provider metadata that quote search results or the response. */
const CONTENT = /^(?:grounding_?metadata|url_?context_?metadata|sources|citations|logprobs|images|safety_?ratings)$/i;
const WORD_CHARACTERS_MAX = 128;

/** Keeps the counts, amounts and short names of provider metadata from the AI SDK, and drops its texts. */
function withoutContent(text: string): string {
  if (text.length > METADATA_CHARACTERS_MAX) return '';
  try {
    return JSON.stringify(JSON.parse(text), (key, value: unknown) =>
      CONTENT.test(key) || (typeof value === 'string' && value.length > WORD_CHARACTERS_MAX) ? undefined : value,
    );
  } catch {
    return '';
  }
}

function charactersMax(name: string): number {
  if (name === USAGE_EVENT) return USAGE_EVENT_CHARACTERS_MAX;
  return USAGE_TEXTS.test(name) ? USAGE_CHARACTERS_MAX : TEXT_CHARACTERS_MAX;
}
