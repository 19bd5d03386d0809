/** Events as log records of OpenTelemetry, for keys that sign nothing. */
import type { ItemOutcome } from './batch-outcome.ts';
import { nowMs } from './clock.ts';

/** Name of the log record's event, and of the attribute that holds the event's JSON. */
const USAGE_EVENT = 'ai_product_books.usage_event';
const SCOPE = { name: 'ai-product-books-sdk' };

/** A body of `/otlp/v1/logs`. `events` are JSON texts. */
export function toLogRecords(events: readonly string[]): string {
  const observedTimeUnixNano = `${nowMs()}000000`;
  const logRecords = events.map((event) => ({
    observedTimeUnixNano,
    eventName: USAGE_EVENT,
    attributes: [{ key: USAGE_EVENT, value: { stringValue: event } }],
  }));
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ scope: SCOPE, logRecords }] }] });
}

/**
 * The outcome of all events. Null: some were taken and some were not, and which they are only smaller batches tell: what was taken is
 * there already, and counts once.
 */
export function readLogsAnswer(answer: string, count: number): ItemOutcome | null {
  let partial: { readonly rejectedLogRecords?: unknown; readonly errorMessage?: unknown } | undefined;
  try {
    ({ partialSuccess: partial } = JSON.parse(answer) as { partialSuccess?: typeof partial });
  } catch {
    return { kind: 'later', message: 'The answer is cut off' };
  }
  const rejected = Number(partial?.rejectedLogRecords ?? 0);
  if (rejected === 0) return { kind: 'done' };
  const message = String(partial?.errorMessage);
  const code = /^([A-Z_]+): /.exec(message)?.[1];
  if (code === 'PAYMENT_REQUIRED' && rejected === count) return { kind: 'slow', message };
  if (count > 1) return null;
  // Without a code it is the event that is wrong.
  return { kind: code === undefined ? 'invalid' : 'later', message };
}
