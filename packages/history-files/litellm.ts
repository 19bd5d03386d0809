/**
 * LiteLLM: rows of `LiteLLM_SpendLogs`, as dumped from the database or returned by `GET /spend/logs`, in CSV, JSON or
 * JSON lines. Converted to the standard logging payload, which `/ext/v1/litellm` reads.
 */
import { type ConvertedRow, type Fields, SKIP_REASONS } from './history-row.ts';
import { countOf, decimalOf, hasCount, instantOf, objectOf, textOf } from './row-values.ts';

export function convertLitellm(row: Fields): ConvertedRow {
  const id = textOf(row, 'request_id', 'id');
  if (id === null) return { kind: 'refused', reason: 'the row has no request_id' };
  const invokedAt = instantOf(row, 'startTime', 'start_time');
  if (invokedAt === null) return { kind: 'refused', reason: 'the row has no valid startTime' };
  const metadata = objectOf(row, 'metadata');
  const cost = decimalOf(row, 'spend', 'response_cost');
  const usage = objectOf(metadata, 'usage_object');
  const counts = {
    prompt_tokens: countOf(row, 'prompt_tokens'),
    completion_tokens: countOf(row, 'completion_tokens'),
    total_tokens: countOf(row, 'total_tokens'),
  };
  const status = textOf(row, 'status') ?? textOf(metadata, 'status') ?? 'success';
  if (/^(?:true|t|1)$/i.test(String(row['cache_hit']))) return { kind: 'skipped', reason: SKIP_REASONS.cache_hit };
  // A failed call is billed only for the tokens that it used.
  if (status === 'failure' && !(Number(cost) > 0) && !hasCount(counts) && Object.keys(usage).length === 0)
    return { kind: 'skipped', reason: SKIP_REASONS.failed };
  return {
    kind: 'call',
    invokedAt,
    item: {
      id,
      call_type: textOf(row, 'call_type'),
      status,
      custom_llm_provider: textOf(row, 'custom_llm_provider'),
      model: textOf(row, 'model'),
      model_group: textOf(row, 'model_group'),
      api_base: textOf(row, 'api_base'),
      ...counts,
      response_cost: cost === null ? null : Number(cost),
      startTime: invokedAt,
      end_user: textOf(row, 'end_user') ?? textOf(row, 'user'),
      session_id: textOf(row, 'session_id'),
      metadata: {
        usage_object: usage,
        user_api_key_team_id: textOf(row, 'team_id'),
        user_api_key_team_alias: textOf(metadata, 'user_api_key_team_alias'),
      },
      cost_breakdown: objectOf(metadata, 'cost_breakdown'),
    },
  };
}
