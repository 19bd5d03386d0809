/** Holds events until the service has them: in order, in batches, within a bound of memory. */
import type { ItemOutcome } from './batch-outcome.ts';
import { nowMs } from './clock.ts';
import type { PostBatch } from './post-batch.ts';
import { randomShare } from './random.ts';
import { afterDelay } from './runtime.ts';
import type { Spool, SpoolPlace } from './spool.ts';

const BATCH_EVENTS_MAX = 100;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** How long the first event waits for others. */
const GATHER_MS = 500;
const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 30_000;
const SLOW_MS = 5_000;
const SLOW_MAX_MS = 60_000;

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
  /** An event that will never be sent, as JSON, and why. */
  drop(event: string, reason: string): void;
}

export interface Delivery {
  add(event: string): void;
  /** True once all is delivered, false when the time is up. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Gives up what is held in memory; what is spooled stays there. */
  stop(): void;
  pending(): { readonly events: number; readonly bytes: number };
  readonly counts: Readonly<DeliveryCounts>;
}

interface Entry {
  readonly event: string;
  readonly place: SpoolPlace | null;
}

export function createDelivery({ post, spool, bufferBytes, drop }: DeliveryInput): Delivery {
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
    // What was not taken goes behind the others, so that it holds up none of them.
    queue.push(...kept);
  };

  const send = async (batch: readonly Entry[]): Promise<Entry[]> => {
    const { items, retryAfterMs, isDivisible } = await post(batch.map(({ event }) => event));
    if (isDivisible) {
      const half = Math.ceil(batch.length / 2);
      return [...(await send(batch.slice(0, half))), ...(await send(batch.slice(half)))];
    }
    const done = batch.filter((_, index) => items[index]?.kind === 'done');
    const invalid = batch.filter((_, index) => items[index]?.kind === 'invalid');
    const kept = batch.filter((_, index) => items[index]?.kind === 'slow' || items[index]?.kind === 'later');
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
    const problem = items.find((item) => item.kind === 'slow' || item.kind === 'later');
    if (problem === undefined) {
      failures = 0;
      notBeforeMs = 0;
      return;
    }
    counts.retries += kept;
    counts.lastError = 'message' in problem ? problem.message : null;
    const isSlow = problem.kind === 'slow';
    const ceiling = Math.min((isSlow ? SLOW_MS : BACKOFF_MS) * 2 ** failures, isSlow ? SLOW_MAX_MS : BACKOFF_MAX_MS);
    // Full jitter: many senders do not come back together.
    notBeforeMs =
      nowMs() + Math.max(retryAfterMs ?? 0, ceiling * randomShare(), isSlow && retryAfterMs === null ? 1_000 : 0);
    failures = Math.min(failures + 1, 16);
  };

  const isEmpty = () => queue.length === 0 && sending === null && unread() === 0;

  return {
    counts,
    pending: () => ({ events: queue.length + inFlight + unread(), bytes }),
    add(event) {
      const place = spool?.append(event) ?? null;
      const isFull = bytes + event.length > bufferBytes;
      // Behind events that only the spool holds, so that they stay in order.
      if (place !== null && (isFull || unread() > 0)) {
        spool!.leave();
      } else if (isFull) {
        counts.dropped += 1;
        drop(event, 'The buffer is full');
        return;
      } else {
        hold({ event, place });
      }
      schedule();
    },
    async flush(timeoutMs) {
      const untilMs = nowMs() + timeoutMs;
      flushing += 1;
      // The first try is at once: the caller waits.
      notBeforeMs = Math.min(notBeforeMs, nowMs());
      try {
        while (!isEmpty() && !isStopped) {
          const leftMs = untilMs - nowMs();
          if (leftMs <= 0) return false;
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
