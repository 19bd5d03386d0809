/**
 * Meters model calls where they are made. `createBooks().fetch` in place of a provider's `fetch` sends one usage event for each billed
 * response and changes nothing else about it; prompts and completions never leave.
 */
import { type CallContext, createContextStore, mergeContexts } from './call-context.ts';
import { nowMs } from './clock.ts';
import { createDelivery } from './delivery.ts';
import { createMeteredFetch, type Fetch } from './metered-fetch.ts';
import { createPostBatch } from './post-batch.ts';
import type { Reading } from './read-response.ts';
import { readResults } from './read-results.ts';
import { builtin, onceIdle, readEnvironment } from './runtime.ts';
import { openSpool } from './spool.ts';
import { toUsageEvent, type UsageEvent } from './usage-event.ts';

export type { CallContext, Fetch, UsageEvent };

export interface BooksOptions {
  /** Origin of the service. Default: `BOOKS_API_URL`, else `http://127.0.0.1:8080`. */
  readonly url?: string | undefined;
  /** A key with the scope `usage:write`. Default: `BOOKS_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * How events leave. `signed`: to `/v1`, every batch signed with the key. `otlp`: as log records of OpenTelemetry, with a key that may
   * write unsigned and do nothing else, for places where no signing secret can be kept. Default: `signed`.
   */
  readonly mode?: 'signed' | 'otlp' | undefined;
  /** A directory that keeps events across the end of the process. Default: `BOOKS_SPOOL`, else none. */
  readonly spool?: string | undefined;
  /** What the spool may take, in bytes. Default: 1 GiB. */
  readonly spoolBytes?: number | undefined;
  /** A file for events that the service refuses, one JSON line each. Default: `rejected.ndjson` in the spool, else none. */
  readonly deadLetters?: string | undefined;
  /** What unsent events may take of memory, in bytes of JSON. Default: 16 MiB. */
  readonly bufferBytes?: number | undefined;
  /** Called for each event that will never be sent. */
  readonly onDrop?: ((event: UsageEvent, reason: string) => void) | undefined;
  /** Called for what goes wrong within the library. Default: one warning for each message. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Keeps the runtime alive until a promise is settled, where it would otherwise end with the response. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** Providers by hosts of your own, such as a gateway's: `{ 'llm.internal:4000': 'openai' }`. */
  readonly providers?: Readonly<Record<string, string>> | undefined;
  /** What requests are made with. Default: the runtime's own. */
  readonly fetch?: Fetch | undefined;
}

export interface BooksStats {
  /** Billed responses that became an event. */
  readonly events: number;
  /** Of them: those that ended early, and say `incomplete`. */
  readonly incomplete: number;
  /** Billed responses without usage, such as speech: no event. */
  readonly unread: number;
  readonly sent: number;
  readonly pending: number;
  readonly pendingBytes: number;
  /** Refused by the service, and never sent again. */
  readonly rejected: number;
  /** Left out because the buffer was full. */
  readonly dropped: number;
  readonly retries: number;
  readonly spoolErrors: number;
  readonly lastError: string | null;
}

/** What `track` may be told besides whom a call was for. */
export interface TrackContext extends CallContext {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** When the call was made. Default: now. */
  readonly invokedAt?: Date | undefined;
}

export interface Books {
  /** For a provider's client: `new OpenAI({ fetch: books.fetch })`. */
  readonly fetch: Fetch;
  /**
   * Reports a response of any provider, its usage object, or a result of the AI SDK, which has one event for each step. The event that
   * will be sent, the last where there are several; null where nothing was billed.
   */
  track(response: unknown, context?: TrackContext): UsageEvent | null;
  /** Reports what an adapter has read by itself. */
  record(reading: Reading, context: TrackContext): UsageEvent | null;
  /** The context of this moment, for what is reported later. */
  context(): CallContext;
  /** Every call within is for this end user, session, agent. */
  with<Result>(context: CallContext, fn: () => Result): Result;
  /** True once everything is delivered; false when the time is up. */
  flush(timeoutMs?: number): Promise<boolean>;
  stats(): BooksStats;
  /** Flushes and ends: nothing is sent any more. */
  close(timeoutMs?: number): Promise<boolean>;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
const BUFFER_BYTES = 16 * 1024 * 1024;
const SPOOL_BYTES = 1024 * 1024 * 1024;
const FLUSH_MS = 10_000;
const SPOOLED_FLUSH_MS = 2_000;

export function createBooks(options: BooksOptions = {}): Books {
  const environment = readEnvironment();
  const apiKey = options.apiKey ?? environment.apiKey ?? '';
  const report = options.onError === undefined ? warnOnce() : guarded(options.onError);
  if (apiKey === '') report(new Error('There is no API key: set BOOKS_API_KEY, or apiKey. Nothing is sent'));
  // The one of now: afterwards the global one may be this library's own.
  const request: Fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const directory = options.spool ?? environment.spool;
  const spool = directory === undefined ? null : openSpool(directory, options.spoolBytes ?? SPOOL_BYTES, report);
  const deadLetters = options.deadLetters ?? (spool === null ? undefined : `${directory}/rejected.ndjson`);
  const counts = { events: 0, incomplete: 0, unread: 0 };

  const drop = guarded((text: string, reason: string): void => {
    if (deadLetters !== undefined)
      builtin('node:fs')?.appendFileSync(
        deadLetters,
        `${JSON.stringify({ reason, event: JSON.parse(text) as unknown })}\n`,
      );
    if (options.onDrop === undefined) report(new Error(`A usage event is lost: ${reason}`));
    else options.onDrop(JSON.parse(text) as UsageEvent, reason);
  }, report);
  const url = (options.url ?? environment.url ?? DEFAULT_URL).replace(/(\/v1)?\/*$/, '');
  const delivery = createDelivery({
    post: createPostBatch({ url, apiKey, fetch: request, mode: options.mode === 'otlp' ? 'otlp' : 'signed' }),
    spool,
    bufferBytes: options.bufferBytes ?? BUFFER_BYTES,
    drop,
  });
  let isExiting = false;
  const stopIdle = onceIdle(() => {
    if (delivery.pending().events === 0) spool?.tidy();
    // After a flush in vain the process may end; what is spooled waits for the next one.
    if (delivery.pending().events === 0 || isExiting) return;
    isExiting = true;
    void delivery.flush(spool === null ? FLUSH_MS : SPOOLED_FLUSH_MS).then((isDelivered) => (isExiting = !isDelivered));
  });
  const contexts = createContextStore();

  const record = (
    reading: Reading,
    context: TrackContext,
    startedMs = context.invokedAt?.getTime() ?? nowMs(),
  ): UsageEvent => {
    const event = toUsageEvent(reading, context, startedMs);
    counts.events += 1;
    if (!reading.isWhole) counts.incomplete += 1;
    delivery.add(JSON.stringify(event));
    return event;
  };
  const recordSafely = (reading: Reading, context: TrackContext): UsageEvent | null => {
    try {
      const merged = mergeContexts(contexts.get(), context);
      const event = record(reading, { ...merged, invokedAt: context.invokedAt });
      keepAlive(merged)?.(delivery.flush(FLUSH_MS));
      return event;
    } catch (error) {
      report(error);
      return null;
    }
  };
  const keepAlive = (context: CallContext) => context.waitUntil ?? options.waitUntil;

  return {
    fetch: createMeteredFetch({
      fetch: request,
      providers: options.providers ?? {},
      contexts,
      record,
      recordUnread: () => (counts.unread += 1),
      report,
      begin(context) {
        const waitUntil = keepAlive(context);
        if (waitUntil === undefined) return () => {};
        let end = () => {};
        const ended = new Promise<void>((resolve) => (end = resolve));
        guarded(waitUntil, report)(ended.then(() => delivery.flush(FLUSH_MS)));
        return end;
      },
    }),
    track(response, context = {}) {
      try {
        const readings = readResults(response, context);
        if (readings.length === 0) counts.unread += 1;
        return readings.map((reading) => recordSafely(reading, context)).at(-1) ?? null;
      } catch (error) {
        report(error);
        return null;
      }
    },
    record: recordSafely,
    context: contexts.get,
    with: contexts.run,
    flush: (timeoutMs = FLUSH_MS) => delivery.flush(timeoutMs),
    stats() {
      const { events, bytes } = delivery.pending();
      return { ...counts, ...delivery.counts, pending: events, pendingBytes: bytes, spoolErrors: spool?.errors() ?? 0 };
    },
    async close(timeoutMs = FLUSH_MS) {
      const isDelivered = await delivery.flush(timeoutMs);
      stopIdle();
      delivery.stop();
      spool?.close();
      return isDelivered;
    },
  };
}

function guarded<Args extends unknown[]>(
  callback: (...args: Args) => unknown,
  report: (error: unknown) => void = () => {},
): (...args: Args) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      report(error);
    }
  };
}

function warnOnce(): (error: unknown) => void {
  const known = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    if (known.has(message) || known.size > 100) return;
    known.add(message);
    // oxlint-disable-next-line no-console -- the one place where a library without a log can say it
    console.warn(`ai-product-books-sdk: ${message}`);
  };
}
