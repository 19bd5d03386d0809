/**
 * Helicone: requests as exported by `@helicone/export`, the page or `POST /v1/request/query-clickhouse`, in JSON, JSON
 * lines or CSV. With the bodies (`--include-body`), the provider's own counts are read.
 */
import { type ConvertedRow, type Fields, SKIP_REASONS } from './history-row.ts';
import { countOf, decimalOf, hasCount, instantOf, objectOf, textOf } from './row-values.ts';

export function convertHelicone(row: Fields): ConvertedRow {
  const status = Number(textOf(row, 'response_status', 'status') ?? 200);
  const response = objectOf(row, 'response_body');
  const usage = usageOf(row);
  if (!NO_CACHE.has(textOf(row, 'cache_reference_id'))) return { kind: 'skipped', reason: SKIP_REASONS.cache_hit };
  if (status >= 400 && usage === null) return { kind: 'skipped', reason: SKIP_REASONS.failed };
  const isWhole = typeof response['usage'] === 'object' || typeof response['usageMetadata'] === 'object';
  if (!isWhole && usage === null) return { kind: 'skipped', reason: 'no token counts' };
  const id = textOf(row, 'request_id', 'response_id');
  if (id === null) return { kind: 'refused', reason: 'the row has neither request_id nor response_id' };
  const invokedAt = instantOf(row, 'request_created_at', 'response_created_at', 'created_at');
  if (invokedAt === null) return { kind: 'refused', reason: 'the row has no valid request_created_at' };
  const cost = decimalOf(row, 'cost', 'costUSD', 'cost_usd');
  const properties = objectOf(row, 'request_properties', 'properties');
  return {
    kind: 'call',
    invokedAt,
    item: {
      idempotency_key: `helicone:${id}`,
      provider: textOf(row, 'provider')?.toLowerCase() ?? null,
      model: textOf(row, 'response_model', 'model', 'request_model'),
      // With the provider's id, so that a call that was also reported live counts once.
      response: isWhole ? response : { usage },
      user_id: textOf(row, 'request_user_id', 'user_id'),
      session_id: textOf(properties, 'Helicone-Session-Id'),
      event_invoked_at: invokedAt,
      metadata: { ...ownProperties(properties), ...(cost === null ? {} : { reported_cost: cost }) },
    },
  };
}

/** Values of the cache reference for requests that were not answered from a cache. */
const NO_CACHE: ReadonlySet<string | null> = new Set([null, 'null', '00000000-0000-0000-0000-000000000000']);

/**
 * Helicone counts the cached tokens apart from the prompt, for all providers, as Langfuse does. Null if there are no
 * counts.
 */
function usageOf(row: Fields): Fields | null {
  const counts = {
    input: countOf(row, 'prompt_tokens'),
    output: countOf(row, 'completion_tokens'),
    input_cache_read: countOf(row, 'prompt_cache_read_tokens'),
    input_cache_write: countOf(row, 'prompt_cache_write_tokens'),
    input_audio: countOf(row, 'prompt_audio_tokens'),
    output_audio: countOf(row, 'completion_audio_tokens'),
  };
  return hasCount(counts) ? counts : null;
}

/** Custom properties become dimensions; those of Helicone itself do not. */
function ownProperties(properties: Fields): Fields {
  return Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => !name.startsWith('Helicone-') && typeof value === 'string'),
  );
}
