/** Sends a batch and returns the outcome of each event. */
import { nowMs } from './clock.ts';
import type { Fetch } from './metered-fetch.ts';

/**
 * Outcome of an event. `invalid`: it will never be accepted. `slow`: no credit, or rate limit. `later`: the service is
 * unavailable or failing. `denied`: the key is refused. `astray`: another server responds at this address.
 */
export type ItemOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'invalid' | 'slow' | 'later' | 'denied' | 'astray'; readonly message: string };

export type Problem = { readonly kind: keyof typeof TROUBLES; readonly message: string };

/** Messages for lasting problems. */
export const TROUBLES = {
  denied: 'The service rejected the API key',
  astray: 'The address does not respond like the service: check BOOKS_API_URL',
  later: 'The service has not been reached for more than a minute',
  slow: 'The service has accepted nothing for more than a minute',
} as const;

export function isProblem(item: ItemOutcome | undefined): item is Problem {
  return item !== undefined && item.kind in TROUBLES;
}

interface BatchOutcome {
  readonly items: readonly ItemOutcome[];
  /** The service's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** The whole batch was refused, but smaller ones may be accepted. */
  readonly isDivisible: boolean;
}

const REQUEST_MS = 30_000;
const PING_MS = 3_000;
/** URLs and keys already checked by this process. */
const checked = new Set<string>();
const SKEW_MS = 60_000;

export interface PostInput {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** `signed`: `/v1`, with a result per event. `otlp`: OpenTelemetry log records, unsigned. `outcomes`: outcomes, signed. */
  readonly mode: 'signed' | 'otlp' | 'outcomes';
}

/** `events` are JSON texts. Never rejects. */
export type PostBatch = (events: readonly string[]) => Promise<BatchOutcome>;

export function createPostBatch({ url, apiKey, fetch, mode }: PostInput): PostBatch {
  const isSigned = mode !== 'otlp';
  let key: ReturnType<typeof importKey> | null = null;
  /** Time by which this machine's clock is behind the service's. */
  let skewMs = 0;

  const sign = async (body: string): Promise<Readonly<Record<string, string>>> => {
    const timestamp = String(Math.floor((nowMs() + skewMs) / 1000));
    const signature = await signBody(await (key ??= importKey(apiKey)), timestamp, body);
    return { 'x-timestamp': timestamp, 'x-signature': signature };
  };
  const post = async (body: string): Promise<Response> =>
    fetch(`${url}${PATHS[mode]}`, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS),
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(isSigned ? await sign(body) : {}),
      },
    });

  /** Corrects the clock skew. Returns true if it changed, so a retry may succeed. */
  const correctClock = (response: Response): boolean => {
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (!isSigned || response.status !== 401 || Number.isNaN(theirs)) return false;
    const skew = theirs - nowMs();
    if (Math.abs(skew - skewMs) < SKEW_MS) return false;
    skewMs = skew;
    return true;
  };

  /** Checks the key once, before the first batch. Returns null unless the key is clearly refused. */
  const ping = async (): Promise<ItemOutcome | null> => {
    const name = `${url} ${apiKey}`;
    if (checked.has(name)) return null;
    try {
      const response = await fetch(`${url}/v1/ping`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(PING_MS),
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const answer = await response.text();
      if (response.status === 401) return { kind: 'denied', message: `401 ${answer.slice(0, 200)}` };
    } catch {
      // Sending the batch will show the problem.
    }
    checked.add(name);
    return null;
  };

  return async (events) => {
    const all = (item: ItemOutcome, more: Partial<BatchOutcome> = {}): BatchOutcome => ({
      items: events.map(() => item),
      retryAfterMs: null,
      isDivisible: false,
      ...more,
    });
    try {
      const refusal = await ping();
      if (refusal !== null) return all(refusal);
      const body = isSigned ? `[${events.join(',')}]` : toLogRecords(events);
      let response = await post(body);
      if (correctClock(response)) response = await post(body);
      const { status } = response;
      const retryAfterMs = retryAfter(response.headers.get('retry-after'));
      const answer = await response.text();
      if (status === 202 && isSigned)
        return { items: readItems(answer, events.length), retryAfterMs, isDivisible: false };
      if (status === 200 && mode === 'otlp') {
        const item = readLogsAnswer(answer, events.length);
        return all(item ?? { kind: 'later', message: answer }, { retryAfterMs, isDivisible: item === null });
      }
      const message = `${status} ${answer.slice(0, 200)}`;
      if (status === 400 || status === 413 || status === 422)
        return all({ kind: 'invalid', message }, { isDivisible: events.length > 1 });
      return all({ kind: kindOf(status), message }, { retryAfterMs });
    } catch (error) {
      return all({ kind: 'later', message: describe(error) });
    }
  };
}

function kindOf(status: number): 'slow' | 'later' | 'denied' | 'astray' {
  if (status === 401 || status === 403) return 'denied';
  if (status >= 500 || status === 408) return 'later';
  return status === 402 || status === 429 ? 'slow' : 'astray';
}

/** Includes the cause, since the runtime reports only `fetch failed`. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

const PATHS = { signed: '/v1/usage-events/batch', otlp: '/otlp/v1/logs', outcomes: '/ext/v1/outcomes' } as const;

/** Items missing from the response, or from a truncated one, are sent again. Nothing is counted twice. */
function readItems(answer: string, count: number): ItemOutcome[] {
  const items = Array.from({ length: count }, (): ItemOutcome => ({
    kind: 'later',
    message: 'The response did not mention it',
  }));
  let results: unknown;
  try {
    ({ results } = JSON.parse(answer) as { results?: unknown });
  } catch {
    return items;
  }
  for (const result of Array.isArray(results) ? (results as Record<string, unknown>[]) : []) {
    const index = typeof result?.['index'] === 'number' ? result['index'] : -1;
    if (index in items) items[index] = outcomeOf(result);
  }
  return items;
}

function outcomeOf({ status, error, message }: Record<string, unknown>): ItemOutcome {
  if (status === 'accepted' || status === 'accepted_flagged') return { kind: 'done' };
  const said = `${String(error)}: ${String(message)}`;
  if (error === 'VALIDATION_ERROR') return { kind: 'invalid', message: said };
  return { kind: error === 'PAYMENT_REQUIRED' ? 'slow' : 'later', message: said };
}

/** Parses seconds or a date. */
function retryAfter(value: string | null): number | null {
  if (value === null || value === '') return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}

/**
 * Signature required by the service: HMAC-SHA256 of `{timestamp}.{body}` with the API key. `timestamp`: Unix seconds.
 */
async function signBody(key: Awaited<ReturnType<typeof importKey>>, timestamp: string, body: string): Promise<string> {
  const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${timestamp}.${body}`));
  return `v1=${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function importKey(apiKey: string) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(apiKey), algorithm, false, ['sign']);
}

/** Event name of the log record, and name of the attribute with the event's JSON. */
const USAGE_EVENT = 'ai_product_books.usage_event';
const SCOPE = { name: 'ai-product-books-sdk' };

/** Builds a body of `/otlp/v1/logs`. `events` are JSON texts. */
function toLogRecords(events: readonly string[]): string {
  const observedTimeUnixNano = `${nowMs()}000000`;
  const logRecords = events.map((event) => ({
    observedTimeUnixNano,
    eventName: USAGE_EVENT,
    attributes: [{ key: USAGE_EVENT, value: { stringValue: event } }],
  }));
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ scope: SCOPE, logRecords }] }] });
}

/**
 * Returns the outcome of all events; null if only some were accepted. Then smaller batches must show which: accepted
 * events are recognized and count once.
 */
function readLogsAnswer(answer: string, count: number): ItemOutcome | null {
  let partial: { readonly rejectedLogRecords?: unknown; readonly errorMessage?: unknown } | undefined;
  try {
    ({ partialSuccess: partial } = JSON.parse(answer) as { partialSuccess?: typeof partial });
  } catch {
    return { kind: 'later', message: 'The response was cut off' };
  }
  const rejected = Number(partial?.rejectedLogRecords ?? 0);
  if (rejected === 0) return { kind: 'done' };
  const message = String(partial?.errorMessage);
  const code = /^([A-Z_]+): /.exec(message)?.[1];
  if (code === 'PAYMENT_REQUIRED' && rejected === count) return { kind: 'slow', message };
  if (count > 1) return null;
  // A message without a code means that the event is invalid.
  return { kind: code === undefined ? 'invalid' : 'later', message };
}
