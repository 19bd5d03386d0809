/** A call as LiteLLM's `generic_api` callback reports it, as the event that a sender of `/v1` would send. */
import { rawCounts } from '../pricing/raw-counts.ts';
import { responseKey } from './call-event.ts';
import { hasCounts } from './call-usage.ts';
import type { IgnoredReason } from './select-calls.ts';
import { readReportedCost } from './reported-cost.ts';
import { objectOf } from './telemetry-record.ts';

type Fields = Readonly<Record<string, unknown>>;

export type LitellmReading =
  | { readonly ok: true; readonly provider: string; readonly item: Fields }
  | { readonly ok: false; readonly provider: string; readonly reason: IgnoredReason };

/**
 * LiteLLM counts every provider's tokens as OpenAI does: cached tokens within the prompt. An answer of its cache costs nothing.
 * `isCostBooked`: its own cost is the event's.
 */
export function readLitellmCall(sent: unknown, receivedAt: Date, isCostBooked: boolean): LitellmReading {
  const payload = objectOf(sent);
  const metadata = objectOf(payload['metadata']);
  const provider = textOf(payload['custom_llm_provider']);
  const source = provider ?? 'litellm';
  if (payload['cache_hit'] === true || payload['cache_hit'] === 'True')
    return { ok: false, provider: source, reason: 'cache_hit' };
  if (payload['status'] === 'failure') return { ok: false, provider: source, reason: 'failed' };
  const usage = usageOf(payload, metadata);
  const { input, output } = rawCounts(usage);
  const id = textOf(payload['id']);
  const responseCost = payload['response_cost'];
  const hasCost = typeof responseCost === 'number' && Number.isFinite(responseCost);
  const cost = readReportedCost(hasCost ? String(responseCost) : null, isCostBooked);
  const named = (...names: readonly string[]) =>
    names.map((name) => textOf(metadata[name])).find((one) => one !== null);
  const team = named('user_api_key_team_alias', 'user_api_key_team_id');
  return {
    ok: true,
    provider: source,
    item: {
      idempotency_key: id === null ? null : responseKey(provider, id),
      model: textOf(payload['model']),
      provider,
      input_tokens: input ?? 0,
      output_tokens: output ?? 0,
      usage,
      event_invoked_at: timeOf(payload['startTime']) ?? receivedAt.toISOString(),
      user_id: textOf(payload['end_user']) ?? named('user_api_key_end_user_id', 'user_api_key_user_id') ?? null,
      session_id: textOf(payload['session_id']) ?? textOf(payload['trace_id']),
      ...cost.event,
      metadata: {
        ...(team === undefined ? {} : { team }),
        ...cost.metadata,
        litellm: { call_type: textOf(payload['call_type']), model_group: textOf(payload['model_group']) },
      },
    },
  };
}

function usageOf(payload: Fields, metadata: Fields): Fields {
  const usage = objectOf(metadata['usage_object']);
  if (hasCounts(usage)) return usage;
  const { prompt_tokens, completion_tokens, total_tokens } = payload;
  return { prompt_tokens, completion_tokens, total_tokens };
}

/** Seconds since 1970, or a date-time. */
function timeOf(value: unknown): string | null {
  if (typeof value === 'number' && value > 0 && value < SECONDS_MAX) return new Date(value * 1000).toISOString();
  return textOf(value);
}

const SECONDS_MAX = 253_402_300_800;

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
