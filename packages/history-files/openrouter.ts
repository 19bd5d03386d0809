/**
 * OpenRouter: generations as exported from the activity page (CSV) or returned by `GET /api/v1/generation`. Sums of a
 * day (`GET /api/v1/activity`) are a bill, not calls.
 */
import type { ConvertedRow, Fields } from './history-row.ts';
import { countOf, decimalOf, instantOf, objectOf, textOf } from './row-values.ts';

export function convertOpenRouter(sent: Fields): ConvertedRow {
  // A single generation of the API is in `data`.
  const row = { ...sent, ...objectOf(sent, 'data') };
  const id = textOf(row, 'generation_id', 'id');
  if (id === null)
    return {
      kind: 'refused',
      reason:
        'the row has no generation_id: it is a sum, not a call. Export the generations, or import the file as a bill',
    };
  const invokedAt = instantOf(row, 'created_at', 'createdAt');
  if (invokedAt === null) return { kind: 'refused', reason: 'the row has no valid created_at' };
  const input = countOf(row, 'native_tokens_prompt', 'tokens_prompt');
  const output = countOf(row, 'native_tokens_completion', 'tokens_completion');
  const cost = decimalOf(row, 'cost_total', 'total_cost', 'usage');
  if (!(Number(input) > 0) && !(Number(output) > 0) && !(Number(cost) > 0))
    return { kind: 'skipped', reason: 'no tokens and no cost' };
  const ofKey = decimalOf(row, 'byok_usage_inference');
  const isOwnKey = Number(ofKey) > 0;
  return {
    kind: 'call',
    invokedAt,
    item: {
      idempotency_key: `openrouter:${id}`,
      provider: 'openrouter',
      response: {
        id,
        model: textOf(row, 'model_permaslug', 'model'),
        usage: {
          prompt_tokens: input,
          completion_tokens: output,
          prompt_tokens_details: { cached_tokens: countOf(row, 'tokens_cached', 'native_tokens_cached') ?? 0 },
          completion_tokens_details: {
            reasoning_tokens: countOf(row, 'tokens_reasoning', 'native_tokens_reasoning') ?? 0,
          },
          cost: Number(cost ?? 0),
          is_byok: isOwnKey,
          cost_details: { upstream_inference_cost: isOwnKey ? Number(ofKey) : null },
        },
      },
      user_id: textOf(row, 'user', 'external_user'),
      event_invoked_at: invokedAt,
      metadata: Object.fromEntries(
        [
          ['app', textOf(row, 'app_name')],
          ['openrouter_key', textOf(row, 'api_key_name')],
        ].filter(([, value]) => value !== null),
      ),
    },
  };
}
