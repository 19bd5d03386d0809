/** Converts a call reported by LiteLLM's `generic_api` callback to an event as sent to `/v1`. */
import { timeOfNumber } from './time-of-number.ts';
import { approximate } from '#kernel/money.ts';
import { statesOnlyTotal } from '../counts/raw-counts.ts';
import { impossibleCounts, readCounts } from '../counts/read-counts.ts';
import { ONLY_TOTAL } from '../counts/unread-counts.ts';
import { isOfGovernment } from '../names/government-cloud.ts';
import { REPORTED_TOOL_COST } from '../counts/stated-cost.ts';
import { responseKey } from '../telemetry/call-event.ts';
import { hasCounts } from '../telemetry/call-usage.ts';
import type { IgnoredReason } from '../telemetry/select-calls.ts';
import { readReportedCost } from '../counts/reported-cost.ts';
import { regionOfHost } from '../names/region-of-host.ts';
import { sellerOfCall } from '../names/seller-of-response.ts';
import { type Fields, objectOf } from '#kernel/json/json-object.ts';

export type LitellmReading =
  | { readonly ok: true; readonly provider: string; readonly item: Fields; readonly problem?: string }
  | { readonly ok: false; readonly provider: string; readonly reason: IgnoredReason };

/**
 * LiteLLM counts every provider's tokens as OpenAI does: the prompt contains cached tokens. A response from its cache
 * costs nothing; a failed call costs what it used. Calls that use nothing (a batch still running, a file) are ignored
 * and do not use up a key. `isCostBooked`: use LiteLLM's own cost as the event's cost.
 */
export function readLitellmCall(sent: unknown, receivedAt: Date, isCostBooked: boolean): LitellmReading {
  const payload = objectOf(sent);
  const metadata = objectOf(payload['metadata']);
  const response = objectOf(payload['response']);
  const named = textOf(payload['custom_llm_provider']);
  const source = named ?? 'litellm';
  const id = textOf(payload['id']);
  const model = textOf(payload['model']) ?? batchModelOf(payload);
  const provider = sellerOfCall(named, { id, model, host: hostOf(payload['api_base']) });
  if (payload['cache_hit'] === true || payload['cache_hit'] === 'True')
    return { ok: false, provider: source, reason: 'cache_hit' };
  const usage = usageOf(payload, metadata, response);
  const breakdown = objectOf(payload['cost_breakdown']);
  const stated =
    amountText(payload['response_cost']) ??
    amountText(objectOf(payload['hidden_params'])['response_cost']) ??
    amountText(breakdown['total_cost']);
  const tools = toolsOf(payload, response, usage);
  const problem = impossibleCounts(usage);
  if (
    problem === null &&
    Number(stated ?? 0) === 0 &&
    !hasCounts(usage) &&
    !countsAnything(usage) &&
    !countsAnything(tools)
  )
    return { ok: false, provider: source, reason: payload['status'] === 'failure' ? 'failed' : 'no_usage' };
  const cost = readReportedCost(stated, isCostBooked);
  const toolCost = amountText(breakdown['tool_usage_cost']);
  const first = (...names: readonly string[]) =>
    names.map((name) => textOf(metadata[name])).find((one) => one !== null);
  const hold = textOf(objectOf(metadata['requester_metadata'])['hold_id']);
  const team = first('user_api_key_team_alias', 'user_api_key_team_id');
  return {
    ok: true,
    provider: source,
    ...(problem === null ? {} : { problem }),
    item: {
      idempotency_key: id === null ? null : responseKey(provider, model, id),
      model,
      provider,
      ...tokensOf(usage),
      usage,
      billed_tools: tools,
      ...servedOf(payload, response),
      event_invoked_at: timeOf(payload['startTime']) ?? receivedAt.toISOString(),
      user_id: textOf(payload['end_user']) ?? first('user_api_key_end_user_id', 'user_api_key_user_id') ?? null,
      session_id: textOf(payload['session_id']) ?? textOf(payload['trace_id']),
      ...cost.event,
      metadata: {
        ...(team === undefined ? {} : { team }),
        ...(hold === null ? {} : { hold_id: hold }),
        ...cost.metadata,
        ...(statesOnlyTotal(usage) ? { [ONLY_TOTAL]: true } : {}),
        ...(toolCost === null || approximate(toolCost) === 0 ? {} : { [REPORTED_TOOL_COST]: toolCost }),
        litellm: {
          call_type: textOf(payload['call_type']),
          model_group: textOf(payload['model_group']),
          ...(payload['deployment'] === undefined ? {} : { deployment: payload['deployment'] }),
        },
      },
    },
  };
}

function usageOf(payload: Fields, metadata: Fields, response: Fields): Fields {
  const { prompt_tokens, completion_tokens, total_tokens } = payload;
  const own = { prompt_tokens, completion_tokens, total_tokens };
  const reported = [
    objectOf(metadata['usage_object']),
    objectOf(response['usage']),
    objectOf(objectOf(payload['hidden_params'])['usage_object']),
    unitsOf(response),
  ];
  return [...reported, own].find(hasCounts) ?? reported.find(countsAnything) ?? own;
}

/** Pages of a scanned document, and seconds of a transcript: the response counts them next to its usage. */
function unitsOf(response: Fields): Fields {
  const seconds = response['duration'];
  return typeof seconds === 'number' ? { type: 'duration', seconds } : objectOf(response['usage_info']);
}

/**
 * Without any count, the call is billed by units or waits. If one of the counts cannot be read, they are null and the
 * event is rejected.
 */
function tokensOf(usage: Fields): Fields {
  if (!hasCounts(usage)) return { input_tokens: 0, output_tokens: 0 };
  const counts = readCounts(usage);
  return counts.ok
    ? { input_tokens: counts.input, output_tokens: counts.output }
    : { input_tokens: null, output_tokens: null };
}

function countsAnything(counts: Fields): boolean {
  return Object.values(counts).some((count) =>
    typeof count === 'object' && count !== null
      ? countsAnything(count as Fields)
      : typeof count === 'number' && count > 0,
  );
}

/**
 * How the call was served. The tier in the response takes precedence over the requested one; a requested `auto` is
 * ignored.
 */
function servedOf(payload: Fields, response: Fields): Fields {
  const asked = objectOf(payload['model_parameters']);
  const wanted = tierOf(asked);
  const tier = isBatch(payload) ? 'batch' : (tierOf(response) ?? (wanted === 'auto' ? null : wanted));
  const latency = latencyOf(response) ?? latencyOf(asked);
  const region =
    textOf(asked['vertex_location']) ??
    textOf(asked['vertex_ai_location']) ??
    textOf(objectOf(payload['hidden_params'])['vertex_location']) ??
    governmentRegion(textOf(asked['aws_region_name'])) ??
    regionOfHost(hostOf(payload['api_base']));
  const served = {
    service_tier: tier,
    speed: textOf(asked['speed']),
    inference_geo: textOf(asked['inference_geo']),
    serving_region: region,
    performanceConfig: latency === null ? null : { latency },
  };
  return Object.fromEntries(Object.entries(served).filter(([, value]) => value !== null));
}

/** Other regions of Bedrock have no prices of their own, beyond the profiles that the model's name shows. */
function governmentRegion(name: string | null): string | null {
  return name !== null && isOfGovernment(name) ? name : null;
}

/** Bedrock has an object with the type. */
function tierOf(fields: Fields): string | null {
  return textOf(fields['service_tier']) ?? textOf(objectOf(fields['serviceTier'])['type']);
}

function latencyOf(fields: Fields): string | null {
  return textOf(objectOf(fields['performanceConfig'])['latency']);
}

/** LiteLLM logs a batch with its counts when the batch is retrieved. */
function isBatch({ call_type: type }: Fields): boolean {
  return type === 'aretrieve_batch' || type === 'retrieve_batch';
}

function batchModelOf(payload: Fields): string | null {
  const models = objectOf(payload['hidden_params'])['batch_models'];
  return Array.isArray(models) && models.length === 1 ? textOf(models[0]) : null;
}

/** Calls billed by units other than tokens, if they report no tokens. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/image/, 'generated_images'],
  [/video/, 'generated_videos'],
  [/speech/, 'speech_requests'],
  [/transcription/, 'transcriptions'],
  [/rerank/, 'search_units'],
];

function toolsOf(payload: Fields, response: Fields, usage: Fields): Fields {
  const tools = objectOf(response['billed_tools']);
  if (payload['status'] === 'failure' || countsAnything(usage) || countsAnything(tools)) return tools;
  const type = textOf(payload['call_type']) ?? '';
  const unit = UNITS.find(([pattern]) => pattern.test(type))?.[1];
  if (unit === undefined) return tools;
  const asked = objectOf(payload['model_parameters'])['n'];
  return { [unit]: unit === 'generated_images' && typeof asked === 'number' && asked > 0 ? asked : 1 };
}

function hostOf(url: unknown): string | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : null;
}

/** USD as written; null if there is none. */
function amountText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? value.trim() : null;
}

/** Seconds or milliseconds since 1970, or a date-time. */
function timeOf(value: unknown): string | null {
  return timeOfNumber(value) ?? textOf(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
