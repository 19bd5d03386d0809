/**
 * Outcomes reported by spans: a task span with a task id and a status, which is OK for a completed task and an error
 * for a failed attempt. No library sets both, so only applications that report outcomes send such spans.
 */
import { type AttributeMapping, mappedText } from './attribute-mapping.ts';
import { dimensionsOf, TASK_ID } from './call-event.ts';
import { firstText, type TelemetryRecord } from './telemetry-record.ts';

interface Place {
  readonly record: TelemetryRecord;
  /** Nearest first. */
  readonly ancestors: readonly TelemetryRecord[];
}

const KIND: readonly string[] = ['gen_ai.operation.name', 'traceloop.span.kind'];
const TASK_NAME: readonly string[] = ['gen_ai.task.name', 'traceloop.entity.name'];
const STATUS_OK = 1;
const STATUS_ERROR = 2;

/** True if the span reports a task, completed or not. */
export function isTask({ attributes }: TelemetryRecord): boolean {
  return KIND.some((name) => attributes[name] === 'task') && firstText(attributes, TASK_ID) !== null;
}

/** Returns an item as sent to `POST /ext/v1/outcomes`; null for a task without a status, which may not be over yet. */
export function taskOutcome(place: Place, mapping: AttributeMapping): Readonly<Record<string, unknown>> | null {
  const { record } = place;
  const { attributes, status } = record;
  if (status !== STATUS_OK && status !== STATUS_ERROR) return null;
  const { task_id: task, ...metadata } = dimensionsOf(place, mapping);
  return {
    key: `otlp:${record.traceId}:${record.spanId}`,
    name: firstText(attributes, TASK_NAME) ?? record.name,
    succeeded: status === STATUS_OK,
    at: record.endMs > 0 ? timeText(record.endMs) : null,
    task_id: task ?? firstText(attributes, TASK_ID),
    session_id: mappedText(place, mapping.session),
    user_id: mappedText(place, mapping.endUser),
    agent_id: mappedText(place, mapping.agent),
    value: firstText(attributes, ['ai_product_books.task.value']),
    currency: firstText(attributes, ['ai_product_books.task.currency']),
    metadata,
  };
}

/** A time outside the range of dates stays a number, so that the outcome is rejected with a reason. */
function timeText(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? String(milliseconds) : time.toISOString();
}
