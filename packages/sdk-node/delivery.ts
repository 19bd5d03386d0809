/** Queues events until the service accepts them: in order, in batches, in bounded memory. */
import type { DeliveryStats } from './books-options.ts';
import { nowMs } from './clock.ts';
import { type ItemOutcome, isProblem, type PostBatch, type Problem, TROUBLES } from './post-batch.ts';
import { randomShare } from './random.ts';
import { afterDelay } from './runtime.ts';
import type { Spool, SpoolOffset } from './spool.ts';

const BATCH_EVENTS_MAX = 100;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** How long the first event of a batch waits for more. */
const GATHER_MS = 500;
const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 30_000;
const SLOW_MS = 5_000;
const SLOW_MAX_MS = 60_000;
/** An outage that lasts longer is reported. */
const OUTAGE_MS = 60_000;

interface DeliveryCounts {
  sent: number;
  rejected: number;
  dropped: number;
  retries: number;
  lastError: string | null;
}

export interface DeliveryInput {
  readonly post: PostBatch;
  readonly spool: Spool | null;
  readonly bufferBytes: number;
  /** Called with the JSON of a rejected or lost event, and the reason. */
  drop(event: string, reason: string): void;
  /** Called once per problem, until events are accepted again. */
  report(error: Error): void;
  /** Called when events begin to wait, and when no event is waiting any longer. */
  watch(isWaiting: boolean): void;
}

export interface Delivery {
  add(event: string): void;
  /** Resolves to true once everything is delivered, or to false after the timeout. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Drops events held only in memory; spooled events stay. */
  discard(when: string): void;
  /** Stops sending. */
  stop(): void;
  pending(): { readonly events: number; readonly bytes: number };
  readonly counts: Readonly<DeliveryCounts>;
}

interface Entry {
  readonly event: string;
  readonly place: SpoolOffset | null;
}

export function statsOf({ counts, pending }: Delivery, spool: Spool | null): DeliveryStats {
  const { events, bytes } = pending();
  return { ...counts, pending: events, pendingBytes: bytes, spoolErrors: spool?.errors() ?? 0 };
}

export function createDelivery({ post, spool, bufferBytes, drop, report, watch }: DeliveryInput): Delivery {
  const counts: DeliveryCounts = { sent: 0, rejected: 0, dropped: 0, retries: 0, lastError: null };
  let queue: Entry[] = [];
  let bytes = 0;
  let sending: Promise<void> | null = null;
  let stopTimer: (() => void) | null = null;
  let failures = 0;
  let notBeforeMs = 0;
  let isStopped = false;
  let flushing = 0;
  let inFlight = 0;
  let wake: (() => void) | null = null;
  let isDenied = false;
  let troubleSinceMs: number | null = null;
  let isReported = false;

  const unread = () => spool?.unread() ?? 0;
  const hold = (entry: Entry): void => {
    queue.push(entry);
    bytes += entry.event.length;
  };
  const release = (entries: readonly Entry[]): void => {
    for (const { event } of entries) bytes -= event.length;
  };

  const schedule = (): void => {
    if (isStopped || sending !== null || (queue.length === 0 && unread() === 0)) return;
    const waitMs = notBeforeMs - nowMs();
    if (waitMs <= 0 && (queue.length >= BATCH_EVENTS_MAX || flushing > 0)) return start();
    if (stopTimer !== null && flushing === 0) return;
    stopTimer?.();
    stopTimer = afterDelay(Math.max(waitMs, flushing > 0 ? 0 : GATHER_MS), start, flushing > 0);
  };

  const start = (): void => {
    stopTimer?.();
    stopTimer = null;
    if (sending !== null || isStopped) return;
    sending = sendNext().finally(() => {
      sending = null;
      wake?.();
      if (isEmpty()) watch(false);
      schedule();
    });
  };

  const sendNext = async (): Promise<void> => {
    if (queue.length === 0 && spool !== null) for (const entry of spool.read(bufferBytes / 2)) hold(entry);
    const batch = takeBatch(queue);
    if (batch.length === 0) return;
    queue = queue.slice(batch.length);
    inFlight = batch.length;
    const kept = await send(batch).finally(() => (inFlight = 0));
    // Requeue unaccepted events at the end, so that they do not block others.
    queue.push(...kept);
    if (isStopped) discard('Not delivered before close()');
  };

  const send = async (batch: readonly Entry[]): Promise<Entry[]> => {
    const { items, retryAfterMs, isDivisible } = await post(batch.map(({ event }) => event));
    if (isDivisible) {
      const half = Math.ceil(batch.length / 2);
      return [...(await send(batch.slice(0, half))), ...(await send(batch.slice(half)))];
    }
    const done = batch.filter((_, index) => items[index]?.kind === 'done');
    const invalid = batch.filter((_, index) => items[index]?.kind === 'invalid');
    const kept = batch.filter((_, index) => isProblem(items[index]));
    counts.sent += done.length;
    counts.rejected += invalid.length;
    for (const [index, entry] of batch.entries()) {
      const item = items[index];
      if (item?.kind === 'invalid') drop(entry.event, item.message);
    }
    release([...done, ...invalid]);
    spool?.markDone([...done, ...invalid].flatMap(({ place }) => place ?? []));
    wait(items, retryAfterMs, kept.length);
    return kept;
  };

  const wait = (items: readonly ItemOutcome[], retryAfterMs: number | null, kept: number): void => {
    const problem = items.find(isProblem);
    isDenied = problem?.kind === 'denied';
    if (problem === undefined) {
      failures = 0;
      notBeforeMs = 0;
      troubleSinceMs = null;
      isReported = false;
      return;
    }
    counts.retries += kept;
    counts.lastError = problem.message;
    reportOnce(problem);
    const isSlow = problem.kind !== 'later';
    const ceiling = Math.min((isSlow ? SLOW_MS : BACKOFF_MS) * 2 ** failures, isSlow ? SLOW_MAX_MS : BACKOFF_MAX_MS);
    // Full jitter, so that many senders do not retry at once.
    notBeforeMs =
      nowMs() + Math.max(retryAfterMs ?? 0, ceiling * randomShare(), isSlow && retryAfterMs === null ? 1_000 : 0);
    failures = Math.min(failures + 1, 16);
  };

  const reportOnce = ({ kind, message }: Problem): void => {
    troubleSinceMs ??= nowMs();
    const isLong = nowMs() - troubleSinceMs > OUTAGE_MS;
    if (isReported || (!isLong && (kind === 'later' || kind === 'slow'))) return;
    isReported = true;
    report(new Error(`${TROUBLES[kind]}: ${message}`));
  };
  const discard = (when: string): void => {
    const lost = queue.filter(({ place }) => place === null);
    queue = queue.filter(({ place }) => place !== null);
    release(lost);
    counts.dropped += lost.length;
    for (const { event } of lost) drop(event, because(when));
    if (isEmpty()) watch(false);
  };
  const because = (what: string) => (counts.lastError === null ? what : `${what}. Last problem: ${counts.lastError}`);

  const isEmpty = () => queue.length === 0 && sending === null && unread() === 0;

  return {
    counts,
    pending: () => ({ events: queue.length + inFlight + unread(), bytes }),
    add(event) {
      if (isStopped) {
        counts.dropped += 1;
        drop(event, 'The client was already closed');
        return;
      }
      const place = spool?.append(event) ?? null;
      const isFull = bytes + event.length > bufferBytes;
      // If earlier events are only in the spool, leave this one there too, to keep the order.
      if (place !== null && (isFull || unread() > 0)) {
        spool!.leave();
      } else if (isFull) {
        counts.dropped += 1;
        drop(event, because('The buffer is full'));
        return;
      } else {
        hold({ event, place });
      }
      watch(true);
      schedule();
    },
    async flush(timeoutMs) {
      const untilMs = nowMs() + timeoutMs;
      flushing += 1;
      isDenied = false;
      // Try immediately, since the caller is waiting.
      notBeforeMs = Math.min(notBeforeMs, nowMs());
      try {
        while (!isEmpty() && !isStopped) {
          const leftMs = untilMs - nowMs();
          // Retrying would not help a refused key.
          if (leftMs <= 0 || isDenied) return false;
          stopTimer?.();
          stopTimer = null;
          schedule();
          await new Promise<void>((resolve) => {
            const stop = afterDelay(leftMs, resolve, true);
            wake = () => {
              stop();
              resolve();
            };
          });
        }
        return isEmpty();
      } finally {
        flushing -= 1;
        if (flushing === 0) {
          stopTimer?.();
          stopTimer = null;
          schedule();
        }
      }
    },
    discard,
    stop() {
      isStopped = true;
      stopTimer?.();
    },
  };
}

function takeBatch(queue: readonly Entry[]): Entry[] {
  const batch: Entry[] = [];
  let size = 0;
  for (const entry of queue.slice(0, BATCH_EVENTS_MAX)) {
    size += entry.event.length + 1;
    if (size > BATCH_BYTES_MAX && batch.length > 0) break;
    batch.push(entry);
  }
  return batch;
}
