/**
 * Meters model calls in the calling process. `createBooks().fetch`, used instead of a provider's `fetch`, sends one
 * usage event per billed response and otherwise leaves it unchanged. Prompts and completions never leave the process.
 */
import type { BooksOptions, BooksStats, TrackContext } from './books-options.ts';
import { type CallContext, createContextStore, mergeContexts, understoodContext } from './call-context.ts';
import { nowMs } from './clock.ts';
import { createDelivery, type Delivery, statsOf } from './delivery.ts';
import { askForHold, type HoldAnswer, HoldError, type HoldInput, releaseHold } from './hold.ts';
import { createMeteredFetch, type Fetch } from './metered-fetch.ts';
import { createOutcomes, type OutcomeInput } from './outcomes.ts';
import { createPostBatch } from './post-batch.ts';
import type { Reading } from './read-response.ts';
import { readResults } from './read-results.ts';
import { builtin, readEnvironment } from './runtime.ts';
import { openSpool } from './spool.ts';
import { toUsageEvent, type UsageEvent } from './usage-event.ts';
import { watchExit } from './watch-exit.ts';

export type {
  BooksOptions,
  BooksStats,
  CallContext,
  Fetch,
  HoldAnswer,
  HoldInput,
  OutcomeInput,
  TrackContext,
  UsageEvent,
};
export { HoldError };

export interface Books {
  /** For a provider's client: `new OpenAI({ fetch: books.fetch })`. */
  readonly fetch: Fetch;
  /**
   * Reports a response of any provider, a usage object, or a result of the AI SDK, which yields one event per step.
   * Returns the last event to be sent; null if nothing was billed.
   */
  track(response: unknown, context?: TrackContext): UsageEvent | null;
  /** Reports a reading made by an adapter. */
  record(reading: Reading, context: TrackContext): UsageEvent | null;
  /**
   * Reports a completed task, or an attempt that failed. A later outcome with the same key is a correction; the same
   * outcome again changes nothing. Task, session, end user and agent default to the context's.
   */
  outcome(key: string, outcome: OutcomeInput): void;
  /**
   * Asks whether a call may spend its maximum cost, and reserves that amount. Make the call with the dimension
   * `hold_id`, so that its event replaces the hold. Without an answer it throws a `HoldError`, unless `withoutAnswer`
   * says otherwise.
   */
  hold(input: HoldInput): Promise<HoldAnswer>;
  /** Releases the hold of a call that was not made. */
  releaseHold(hold: string): Promise<void>;
  /** The current context, for reporting later. */
  context(): CallContext;
  /** Applies the context (end user, session, agent) to all calls made in `fn`. */
  with<Result>(context: CallContext, fn: () => Result): Result;
  /** Resolves to true once everything is delivered, or to false after the timeout. */
  flush(timeoutMs?: number): Promise<boolean>;
  stats(): BooksStats;
  /** Flushes, then stops sending. */
  close(timeoutMs?: number): Promise<boolean>;
}

const NO_KEY = 'No API key: set BOOKS_API_KEY or apiKey. No events are sent';
const DEFAULT_URL = 'http://127.0.0.1:8080';
const BUFFER_BYTES = 16 * 1024 * 1024;
const SPOOL_BYTES = 1024 * 1024 * 1024;
const FLUSH_MS = 10_000;

export function createBooks(options: BooksOptions = {}): Books {
  const environment = readEnvironment();
  const apiKey = (options.apiKey ?? environment.apiKey ?? '').trim();
  const hasKey = apiKey !== '';
  const report = options.onError === undefined ? warnOnce() : guarded(options.onError);
  if (!hasKey) report(new Error(NO_KEY));
  // Bind the current global `fetch`: it may be replaced by this library's own later.
  const request: Fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const directory = options.spool ?? environment.spool;
  const spool =
    directory === undefined || !hasKey ? null : openSpool(directory, options.spoolBytes ?? SPOOL_BYTES, report);
  const deadLetters = options.deadLetters ?? (spool === null ? undefined : `${directory}/rejected.ndjson`);
  const counts = { events: 0, incomplete: 0, unread: 0 };

  const keepDeadLetter = (text: string, reason: string): void => {
    if (deadLetters === undefined) return;
    const line = JSON.stringify({ reason, event: JSON.parse(text) as unknown });
    builtin('node:fs')?.appendFileSync(deadLetters, `${line}\n`);
  };
  const drop = guarded((text: string, reason: string): void => {
    keepDeadLetter(text, reason);
    // A missing key is reported only once.
    if (options.onDrop === undefined) report(new Error(hasKey ? `A usage event was lost: ${reason}` : reason));
    else options.onDrop(JSON.parse(text) as UsageEvent, reason);
  }, report);
  const url = (options.url ?? environment.url ?? DEFAULT_URL).trim().replace(/(\/v1)?\/*$/, '');
  if (hasKey && !/^https?:\/\/[^/]/.test(url)) report(new Error(`${url} is not a valid URL: set BOOKS_API_URL or url`));
  const exit = watchExit(spool, () => delivery);
  const delivery = !hasKey
    ? createNoDelivery(drop)
    : createDelivery({
        post: createPostBatch({ url, apiKey, fetch: request, mode: options.mode === 'otlp' ? 'otlp' : 'signed' }),
        spool,
        bufferBytes: options.bufferBytes ?? BUFFER_BYTES,
        drop,
        report,
        watch: exit.watch,
      });
  const contexts = createContextStore();
  const outcomes = createOutcomes({
    url,
    apiKey,
    fetch: request,
    directory: hasKey ? directory : undefined,
    spoolBytes: options.spoolBytes ?? SPOOL_BYTES,
    bufferBytes: options.bufferBytes ?? BUFFER_BYTES,
    drop: guarded((text: string, reason: string): void => {
      keepDeadLetter(text, reason);
      report(new Error(`An outcome was lost: ${reason}`));
    }, report),
    report,
  });

  const record = (
    reading: Reading,
    context: TrackContext,
    startedMs = context.invokedAt?.getTime() ?? nowMs(),
  ): UsageEvent => {
    const event = toUsageEvent(reading, context, startedMs, report);
    counts.events += 1;
    if (!reading.isWhole) counts.incomplete += 1;
    delivery.add(JSON.stringify(event));
    return event;
  };
  const recordSafely = (reading: Reading, given: TrackContext): UsageEvent | null => {
    try {
      const context = understoodContext(given, report);
      const merged = mergeContexts(contexts.get(), context);
      const event = record(reading, { ...merged, invokedAt: context.invokedAt });
      keepAlive(merged)?.(delivery.flush(FLUSH_MS));
      return event;
    } catch (error) {
      report(error);
      return null;
    }
  };
  const flushAll = async (timeoutMs = FLUSH_MS): Promise<boolean> => {
    const delivered = await Promise.all([delivery.flush(timeoutMs), outcomes.flush(timeoutMs)]);
    return delivered.every(Boolean);
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
    track(response, given = {}) {
      try {
        const context = understoodContext(given, report);
        const readings = readResults(response, context);
        if (readings.length === 0) counts.unread += 1;
        return readings.map((reading) => recordSafely(reading, context)).at(-1) ?? null;
      } catch (error) {
        report(error);
        return null;
      }
    },
    record: recordSafely,
    outcome: guarded((key: string, outcome: OutcomeInput): void => {
      if (!hasKey) return report(new Error(NO_KEY));
      const context = contexts.get();
      outcomes.add(key, outcome, context);
      keepAlive(context)?.(outcomes.flush(FLUSH_MS));
    }, report),
    hold: (input) => askForHold({ url, apiKey, fetch: request }, input, contexts.get()),
    releaseHold: (hold) => releaseHold({ url, apiKey, fetch: request }, hold),
    context: contexts.get,
    with: (context, fn) => contexts.run(understoodContext(context, report), fn),
    flush: flushAll,
    stats() {
      return { ...counts, ...statsOf(delivery, spool), outcomes: outcomes.stats() };
    },
    async close(timeoutMs = FLUSH_MS) {
      const isDelivered = await flushAll(timeoutMs);
      outcomes.close();
      delivery.stop();
      delivery.discard('Not delivered before close()');
      exit.stop();
      spool?.close();
      return isDelivered;
    },
  };
}

/** Delivery without a key: events are neither kept nor sent. */
function createNoDelivery(drop: (event: string, reason: string) => void): Delivery {
  const counts = { sent: 0, rejected: 0, dropped: 0, retries: 0, lastError: NO_KEY };
  return {
    counts,
    pending: () => ({ events: 0, bytes: 0 }),
    add(event) {
      counts.dropped += 1;
      drop(event, NO_KEY);
    },
    flush: () => Promise.resolve(true),
    discard() {},
    stop() {},
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
