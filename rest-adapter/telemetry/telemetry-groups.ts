/** What is handed on of a request of OpenTelemetry: spans or logs by resource and scope, without what people wrote and models answered. */
import { isContentName } from './content-names.ts';

export interface TelemetryGroup {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string; readonly schemaUrl: string };
  readonly records: readonly TelemetryRecord[];
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span, or a log record: of those `startMs` is the record's time, and `name` what its event is called. */
export interface TelemetryRecord {
  /** 32 hexadecimal digits, or empty. */
  readonly traceId: string;
  /** 16 hexadecimal digits, or empty. */
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** Milliseconds since 1970; 0 where there was none. */
  readonly startMs: number;
  readonly attributes: Attributes;
}

/** What one request may hold. */
export const GROUPS_MAX = 10_000;
export const RECORDS_MAX = 10_000;
export const ATTRIBUTES_MAX = 1_000;
export const NAME_CHARACTERS_MAX = 256;
const TEXT_CHARACTERS_MAX = 1024;

/** A provider's usage object as JSON, which some senders put into one attribute. */
const USAGE_TEXTS = /raw.*usage$|providerMetadata$|usage_object$|^ai\.response\.usage$/;
const USAGE_CHARACTERS_MAX = 16 * 1024;
/** A whole usage event of the project's own libraries, which hold nothing that people wrote. */
const USAGE_EVENT = 'ai_product_books.usage_event';
const USAGE_EVENT_CHARACTERS_MAX = 64 * 1024;

/** Collects attributes; names that hold what people wrote are dropped here, and so are long texts. */
export class AttributeSet {
  readonly values: Record<string, string | number | boolean> = Object.create(null) as Record<
    string,
    string | number | boolean
  >;

  add(name: unknown, value: unknown): void {
    if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX || name === '__proto__') return;
    if (typeof value === 'string') {
      if (value.length > charactersMax(name)) return;
      if (isContentName(name) && !USAGE_TEXTS.test(name)) return;
      this.values[name] = value;
    } else if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      this.values[name] = value;
    }
  }
}

function charactersMax(name: string): number {
  if (name === USAGE_EVENT) return USAGE_EVENT_CHARACTERS_MAX;
  return USAGE_TEXTS.test(name) ? USAGE_CHARACTERS_MAX : TEXT_CHARACTERS_MAX;
}
