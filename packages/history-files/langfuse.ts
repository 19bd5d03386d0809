/**
 * Langfuse: observations as exported from the page, by the storage integration (`observations_v2/`) or by the API, in
 * CSV, JSON or JSON lines. https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields
 */
import type { ConvertedRow, Fields } from './history-row.ts';
import { countOf, decimalOf, hasCount, instantOf, objectOf, textOf } from './row-values.ts';

export function convertLangfuse(row: Fields): ConvertedRow {
  const usage = usageOf(row);
  if (usage === null) return { kind: 'skipped', reason: 'no token counts (a span, an event or a free call)' };
  const id = textOf(row, 'id', 'observation_id', 'observationId');
  if (id === null) return { kind: 'refused', reason: 'the row has no id' };
  const invokedAt = instantOf(row, 'start_time', 'startTime', 'timestamp');
  if (invokedAt === null) return { kind: 'refused', reason: 'the row has no valid start time' };
  const cost = decimalOf(objectOf(row, 'cost_details', 'costDetails'), 'total') ?? decimalOf(row, ...COSTS);
  const dimensions = {
    trace_name: textOf(row, 'trace_name', 'traceName'),
    environment: textOf(row, 'environment'),
  };
  return {
    kind: 'call',
    invokedAt,
    item: {
      idempotency_key: `langfuse:${id}`,
      response: { model: textOf(row, 'provided_model_name', 'providedModelName', 'model'), usage },
      user_id: textOf(row, 'user_id', 'userId'),
      session_id: textOf(row, 'session_id', 'sessionId') ?? textOf(row, 'trace_id', 'traceId'),
      event_invoked_at: invokedAt,
      metadata: {
        ...Object.fromEntries(Object.entries(dimensions).filter(([, value]) => value !== null)),
        ...(cost === null ? {} : { reported_cost: cost }),
      },
    },
  };
}

const COSTS = ['total_cost', 'totalCost', 'calculatedTotalCost', 'calculated_total_cost'];

/** Counts by kind. Older files have one column for each side instead. Null if there are none. */
function usageOf(row: Fields): Fields | null {
  const details = objectOf(row, 'usage_details', 'usageDetails');
  const counts = Object.keys(details).length > 0 ? details : objectOf(row, 'usage');
  if (hasCount(counts)) return counts;
  const sides = {
    input: countOf(row, 'inputUsage', 'promptTokens', 'prompt_tokens', 'inputTokens', 'usage.input'),
    output: countOf(row, 'outputUsage', 'completionTokens', 'completion_tokens', 'outputTokens', 'usage.output'),
    total: countOf(row, 'totalUsage', 'totalTokens', 'total_tokens', 'usage.total'),
  };
  return hasCount(sides) ? sides : null;
}
