/** Sends one batch, and says of each of its events what became of it. */
import { nowMs } from './clock.ts';
import type { Fetch } from './metered-fetch.ts';
import type { BatchOutcome, ItemOutcome } from './batch-outcome.ts';
import { readLogsAnswer, toLogRecords } from './log-records.ts';

const REQUEST_MS = 30_000;
const SKEW_MS = 60_000;

export interface PostInput {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** `signed`: `/v1`, an outcome for each event. `otlp`: log records of OpenTelemetry, unsigned. */
  readonly mode: 'signed' | 'otlp';
}

/** `events` are JSON texts. Never rejects. */
export type PostBatch = (events: readonly string[]) => Promise<BatchOutcome>;

export function createPostBatch({ url, apiKey, fetch, mode }: PostInput): PostBatch {
  let key: ReturnType<typeof importKey> | null = null;
  /** How far this machine's clock is behind the service's. */
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
        ...(mode === 'signed' ? await sign(body) : {}),
      },
    });

  /** Whether the clock was wrong, so that another try is worth it. */
  const correctClock = (response: Response): boolean => {
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (mode !== 'signed' || response.status !== 401 || Number.isNaN(theirs)) return false;
    const skew = theirs - nowMs();
    if (Math.abs(skew - skewMs) < SKEW_MS) return false;
    skewMs = skew;
    return true;
  };

  return async (events) => {
    const all = (item: ItemOutcome, more: Partial<BatchOutcome> = {}): BatchOutcome => ({
      items: events.map(() => item),
      retryAfterMs: null,
      isDivisible: false,
      ...more,
    });
    try {
      const body = mode === 'signed' ? `[${events.join(',')}]` : toLogRecords(events);
      let response = await post(body);
      if (correctClock(response)) response = await post(body);
      const { status } = response;
      const retryAfterMs = retryAfter(response.headers.get('retry-after'));
      const answer = await response.text();
      if (status === 202 && mode === 'signed')
        return { items: readItems(answer, events.length), retryAfterMs, isDivisible: false };
      if (status === 200 && mode === 'otlp') {
        const item = readLogsAnswer(answer, events.length);
        return all(item ?? { kind: 'later', message: answer }, { retryAfterMs, isDivisible: item === null });
      }
      const message = `${status} ${answer.slice(0, 200)}`;
      if (status === 400 || status === 413 || status === 422)
        return all({ kind: 'invalid', message }, { isDivisible: events.length > 1 });
      return all({ kind: status >= 500 || status === 408 ? 'later' : 'slow', message }, { retryAfterMs });
    } catch (error) {
      return all({ kind: 'later', message: error instanceof Error ? error.message : String(error) });
    }
  };
}

const PATHS = { signed: '/v1/usage-events/batch', otlp: '/otlp/v1/logs' } as const;

/** An answer that is cut off, or says nothing of an item, is no answer: the item is sent again, which counts nothing twice. */
function readItems(answer: string, count: number): ItemOutcome[] {
  const items = Array.from({ length: count }, (): ItemOutcome => ({
    kind: 'later',
    message: 'The answer did not name it',
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

/** Seconds, or a date. */
function retryAfter(value: string | null): number | null {
  if (value === null || value === '') return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs();
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}

/** As the service demands: HMAC-SHA256 over `{timestamp}.{body}`, keyed with the API key. `timestamp` is Unix time in seconds. */
async function signBody(key: Awaited<ReturnType<typeof importKey>>, timestamp: string, body: string): Promise<string> {
  const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${timestamp}.${body}`));
  return `v1=${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function importKey(apiKey: string) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(apiKey), algorithm, false, ['sign']);
}
