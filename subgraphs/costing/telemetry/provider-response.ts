/** A provider's own response, as its API gave it, as the event that a sender of `/v1` would send. Of what it says nothing is looked at. */
import { rawCounts } from '../pricing/usage-shape.ts';
import { responseKey } from './call-event.ts';
import { objectOf } from './telemetry-record.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ReadResponse {
  /** Whose API it was; `unknown` where its form does not tell. */
  readonly provider: string;
  /** An item as `parseUsageEvent` takes it; what is missing, it names. */
  readonly item: Fields;
}

/** Names of an event that may stand around a response. */
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
 * Takes the response itself, or `{ response, provider, user_id, … }` around it. A response without an id needs an `idempotency_key`
 * there: two calls may be answered with the same words.
 */
export function readProviderResponse(sent: unknown, receivedAt: Date): ReadResponse {
  const around = objectOf(sent);
  const isAround = typeof around['response'] === 'object' && around['response'] !== null;
  const response = isAround ? objectOf(around['response']) : around;
  const named = isAround || around['provider'] !== undefined ? textOf(around['provider']) : null;
  const provider = named ?? providerOfForm(response);
  const id = textOf(response['id']) ?? textOf(response['responseId']) ?? textOf(response['generation_id']);
  const usage = usageOf(response);
  const { input, output } = rawCounts(usage ?? {});
  return {
    provider: provider ?? 'unknown',
    item: {
      ...(isAround ? Object.fromEntries(EVENT_FIELDS.map((name) => [name, around[name]])) : {}),
      idempotency_key: id === null ? textOf(around['idempotency_key']) : responseKey(provider, id),
      model: textOf(isAround ? around['model'] : null) ?? textOf(response['model']) ?? textOf(response['modelVersion']),
      provider,
      input_tokens: usage === null ? null : (input ?? 0),
      output_tokens: usage === null ? null : (output ?? 0),
      event_invoked_at:
        (isAround ? textOf(around['event_invoked_at']) : null) ?? timeOf(response) ?? receivedAt.toISOString(),
      ...(usage === null ? {} : { usage }),
      billed_tools: objectOf(response['billed_tools']),
      ...(textOf(response['service_tier']) === null ? {} : { service_tier: response['service_tier'] }),
    },
  };
}

/** What was served, as each API says it. */
function providerOfForm(response: Fields): string | null {
  const { id, object, type } = response;
  if (response['usageMetadata'] !== undefined || response['modelVersion'] !== undefined) return 'google';
  if (type === 'message' || startsWith(id, 'msg_')) return 'anthropic';
  const isOpenAi = ['chat.completion', 'response', 'text_completion', 'chat.completion.chunk'].includes(String(object));
  if (isOpenAi && (startsWith(id, 'chatcmpl-') || startsWith(id, 'resp_') || startsWith(id, 'cmpl-'))) return 'openai';
  return null;
}

function usageOf(response: Fields): Fields | null {
  for (const name of ['usage', 'usageMetadata', 'usage_metadata']) {
    const usage = response[name];
    if (typeof usage === 'object' && usage !== null && !Array.isArray(usage)) return usage as Fields;
  }
  return null;
}

/** Seconds since 1970, or a date-time. */
function timeOf(response: Fields): string | null {
  for (const name of ['created_at', 'created', 'createTime']) {
    const time = response[name];
    if (typeof time === 'number' && time > 0 && time < SECONDS_MAX) return new Date(time * 1000).toISOString();
    if (typeof time === 'string') return time;
  }
  return null;
}

const SECONDS_MAX = 253_402_300_800;

function startsWith(value: unknown, prefix: string): boolean {
  return typeof value === 'string' && value.startsWith(prefix);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
