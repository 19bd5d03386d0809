/**
 * Converts a provider's own response, as returned by its API, to an event as sent to `/v1`. Content of the response is
 * not read.
 */
import { timeOfNumber } from './time-of-number.ts';
import { type ReadCounts, readCounts } from '../counts/read-counts.ts';
import { statesOnlyTotal } from '../counts/raw-counts.ts';
import { ONLY_TOTAL, UNREAD_COUNTS } from '../counts/unread-counts.ts';
import { countOrNull, valueAt } from '../counts/value-at.ts';
import { costOfMetadata, tierOfMetadata } from '../telemetry/ai-sdk-metadata.ts';
import { responseKey } from '../telemetry/call-event.ts';
import { langfuseUsage } from '../telemetry/langfuse-usage.ts';
import { namedCounts } from '../telemetry/named-counts.ts';
import { readReportedCost } from '../counts/reported-cost.ts';
import { headersOf, usageOfResponse } from './response-usage.ts';
import { reasonAgainstSummary } from './summary-objects.ts';
import { routerOf, sellerOfCall, sellerOfForm } from '../names/seller-of-response.ts';
import { type Fields, objectOf } from '#kernel/json/json-object.ts';
import { unwrapResponse } from './unwrap-response.ts';

/** `provider`: the provider whose API returned it; `unknown` if its structure does not show that. */
export type ReadResponse =
  /** An item for `parseUsageEvent`, which reports missing fields. `problem`: a reason to reject it. */
  | { readonly ok: true; readonly provider: string; readonly item: Fields; readonly problem?: string }
  | { readonly ok: false; readonly provider: string; readonly reason: 'failed' };

/** Event fields that may be sent next to a response. */
const EVENT_FIELDS: readonly string[] = [
  'user_id',
  'session_id',
  'session_type',
  'agent_id',
  'workflow_id',
  'feature',
  'span_id',
  'parent_span_id',
  'experiment',
  'metadata',
];

/**
 * Accepts the response itself, `{ response, provider, user_id, … }` around it, or a line of a batch's results. A
 * response without an id needs an `idempotency_key`, because two calls may have identical responses.
 */
export function readProviderResponse(sent: unknown, receivedAt: Date): ReadResponse {
  const { around, response, holders, isBatch, isFailed } = unwrapResponse(sent);
  const sentUsage = usageOfResponse(response);
  const langfuse = sentUsage === null ? null : langfuseUsage(sentUsage);
  const usage = langfuse === null ? sentUsage : namedCounts(langfuse.counts, 'inclusive');
  const model = firstText(around, ['model']) ?? modelOf(response);
  const id = idOf(response);
  const named = firstText(response, ['provider']) ?? textAt(response, ['response_metadata', 'model_provider']);
  const seller =
    firstText(around, ['provider']) ??
    sellerOfCall(named, { id, model, host: null }) ??
    sellerOfForm(response, usage, model);
  const provider = routerOf(response, usage, firstText(around, ['provider'])) ?? seller;
  if ((isFailed && usage === null) || isDeclined(response, model, usage))
    return { ok: false, provider: provider ?? 'unknown', reason: 'failed' };
  const lineId = isBatch ? firstText(around, ['id']) : null;
  const tools = billedToolsOf(holders);
  const summary = reasonAgainstSummary(response, around, usage);
  const counts = usage === null ? countsWithoutUsage(tools) : readCounts(usage);
  const isEmpty = usage !== null && Object.keys(tools).length === 0 && countsNothing(usage);
  const contradiction = isEmpty && objectOf(sent)['has_output'] === true ? ZEROS_WITH_OUTPUT : null;
  const problem = summary ?? (counts.ok ? contradiction : counts.message);
  const tier = isBatch
    ? 'batch'
    : (firstText(around, ['service_tier', 'serviceTier']) ??
      firstText(response, ['service_tier', 'serviceTier']) ??
      textAt(response, TIER_OF_LANGCHAIN) ??
      textAt(response, ['serviceTier', 'type']) ??
      firstText(headersOf(response), ['x-amzn-bedrock-service-tier']) ??
      tierOfMetadata(objectOf(response['providerMetadata'])));
  const latency =
    textAt(response, ['performanceConfig', 'latency']) ??
    firstText(headersOf(response), ['x-amzn-bedrock-performanceconfig-latency']);
  const more = {
    ...readReportedCost(costOfMetadata(objectOf(response['providerMetadata'])) ?? costOfRow(around), false).metadata,
    ...(isMarked(around) || isMarked(response) || holders.some(isFirstOfStream) ? { incomplete: true } : {}),
    ...(usage !== null && statesOnlyTotal(usage) ? { [ONLY_TOTAL]: true } : {}),
    ...(langfuse === null || langfuse.unread.length === 0 ? {} : { [UNREAD_COUNTS]: langfuse.unread }),
  };
  return {
    ok: true,
    provider: provider ?? 'unknown',
    ...(problem === null ? {} : { problem }),
    item: {
      ...Object.fromEntries(EVENT_FIELDS.map((name) => [name, around?.[name]])),
      ...(firstText(around, ['session_id']) === null ? { session_id: firstText(around, ['sessionId']) } : {}),
      idempotency_key: id === null ? keyOf(sent, around, [provider, model, lineId]) : responseKey(provider, model, id),
      model,
      provider,
      // The problem names counts that cannot be read.
      input_tokens: counts.ok ? counts.input : 0,
      output_tokens: counts.ok ? counts.output : 0,
      event_invoked_at:
        firstText(around, ['event_invoked_at']) ??
        timeOf(response) ??
        firstText(around, ['timestamp', 'processed_time']) ??
        receivedAt.toISOString(),
      ...(usage === null ? {} : { usage: response['type'] === 'message' ? { ...usage, ...MESSAGES } : usage }),
      billed_tools: tools,
      ...(tier === null ? {} : { service_tier: tier }),
      ...servedAs({ ...response, ...around }),
      ...(latency === null ? {} : { performanceConfig: { latency } }),
      ...(Object.keys(more).length === 0 ? {} : { metadata: { ...objectOf(around?.['metadata']), ...more } }),
    },
  };
}

const ZEROS_WITH_OUTPUT =
  'The usage has only zeros, but the response has output. Send the usage of the finished call: for a stream, that of its last part';

/** True if no number in the usage is above zero, a stated cost included. */
function countsNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(countsNothing);
  return !(Number(value) > 0);
}

/** How the call was served, if that is stated beside the response or next to its usage. */
function servedAs(fields: Fields): Fields {
  const said = ['inference_geo', 'vertex_location', 'speed'].map((name) => [name, firstText(fields, [name])] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== null));
}

function isMarked(fields: Fields | null): boolean {
  return fields?.['incomplete'] === true;
}

/**
 * Claude declined before it produced anything, which is not billed; an attempt of another model with output would be.
 * Claude Code writes an error of its own as a message of the model `<synthetic>`.
 */
function isDeclined({ stop_reason }: Fields, model: string | null, usage: Fields | null): boolean {
  if (model === '<synthetic>') return true;
  if (stop_reason !== 'refusal' || usage === null || countOrNull(usage['output_tokens']) !== 0) return false;
  const attempts = usage['iterations'];
  return !Array.isArray(attempts) || attempts.every((one) => !countOrNull(valueAt(one, ['output_tokens'])));
}

/** USD, as older versions of Claude Code write it in their transcripts. */
function costOfRow(around: Fields | null): string | null {
  const cost = around?.['costUSD'];
  return typeof cost === 'number' ? String(cost) : null;
}

/** Anthropic's streams begin with the final input and the first tokens of the output. */
function isFirstOfStream({ type }: Fields): boolean {
  return type === 'message_start';
}

/** The objects of one item repeat the same tool calls, so the largest count of each kind is right. */
function billedToolsOf(holders: readonly Fields[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const holder of holders) {
    const parts = [holder['billed_tools'], valueAt(holder, ['response_metadata', 'billed_tools'])];
    for (const [name, count] of parts.flatMap((part) => Object.entries(objectOf(part))))
      if (typeof count === 'number') counts[name] = Math.max(counts[name] ?? 0, count);
  }
  return counts;
}

/** Images without a usage object are billed by the piece: such an event needs a price per unit. */
function countsWithoutUsage(tools: Readonly<Record<string, number>>): ReadCounts {
  if (Object.keys(tools).length > 0) return { ok: true, input: 0, output: 0 };
  const message =
    'The response has no usage that can be read. Send the response with its own usage object, or usage with input_tokens and output_tokens';
  return { ok: false, message };
}

/** APIs with Anthropic's protocol use its convention: cached tokens are on top of the input. */
const MESSAGES = { 'gen_ai.usage.convention': 'exclusive' };

const TIER_OF_LANGCHAIN = ['response_metadata', 'service_tier'];

/** The result of a batch call is identified by its line. */
function keyOf(
  sent: unknown,
  around: Fields | null,
  [provider, model, lineId]: readonly [provider: string | null, model: string | null, lineId: string | null],
): string | null {
  const key = firstText(around, ['idempotency_key']) ?? firstText(objectOf(sent), ['idempotency_key']);
  return key ?? (lineId === null ? null : responseKey(provider, model, lineId));
}

/** LangChain gives a message its own id; the provider's id is in the response metadata. */
function idOf(response: Fields): string | null {
  const own = firstText(response, ['id', 'responseId', 'response_id', 'generation_id']);
  const id = own === null || /^(?:lc_)?run-/.test(own) ? textAt(response, ['response_metadata', 'id']) : own;
  return id ?? textAt(response, ['ResponseMetadata', 'RequestId']) ?? textAt(response, ['headers', 'x-amzn-requestid']);
}

function modelOf(response: Fields): string | null {
  return (
    firstText(response, ['model', 'modelVersion', 'model_version', 'modelId']) ??
    textAt(response, ['response_metadata', 'model_name']) ??
    textAt(response, ['response_metadata', 'model'])
  );
}

/** Seconds since 1970, or a date-time. */
function timeOf(response: Fields): string | null {
  for (const name of ['created_at', 'created', 'createTime', 'create_time', 'createdAt', 'timestamp']) {
    const sent = response[name];
    const time = typeof sent === 'string' ? sent : timeOfNumber(sent);
    if (time !== null) return time;
  }
  return null;
}

function firstText(fields: Fields | null, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields?.[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

function textAt(fields: Fields, path: readonly string[]): string | null {
  const value = valueAt(fields, path);
  return typeof value === 'string' && value !== '' ? value : null;
}
