/** Logs outages and repeated failures: one line at the first failure, and one with the number of failures after a while without any. */
import { elapsedMilliseconds } from './clock.ts';
import type { Log } from './log.ts';

/** An outage has ended if there was no failure for this long. */
const QUIET_MILLISECONDS = 10_000;

interface OutageDetails {
  readonly state: string;
  readonly cause?: string;
  readonly correlationId?: string;
  readonly path?: string | undefined;
}

interface Outage {
  readonly since: number;
  last: number;
  failures: number;
}

const outagesOf = new WeakMap<Log, Map<string, Outage>>();

/** Logs that something failed because `what` is unavailable, with the `details` of the first failure. */
export function logOutage(log: Log, what: string, details: OutageDetails): void {
  const { state } = details;
  logOnce(log, `${what} ${state}`, {
    began: () => log.warn(details, `${what} is unavailable`),
    ended: (counts) => log.info({ state, ...counts }, `${what}: no more failures`),
  });
}

/** Logs a failure that nobody waits for, with the first error. */
export function logFailure(log: Log, message: string, error: unknown): void {
  logOnce(log, message, {
    began: () => log.warn({ err: error }, message),
    ended: (counts) => log.info(counts, `${message}: no more failures`),
  });
}

interface Lines {
  began(): void;
  ended(counts: { readonly failures: number; readonly seconds: number }): void;
}

function logOnce(log: Log, key: string, lines: Lines): void {
  const outages = outagesOf.get(log) ?? new Map<string, Outage>();
  outagesOf.set(log, outages);
  const at = elapsedMilliseconds();
  const known = outages.get(key);
  if (known) {
    known.last = at;
    known.failures += 1;
    return;
  }
  const outage = { since: at, last: at, failures: 1 };
  outages.set(key, outage);
  lines.began();
  endLater(QUIET_MILLISECONDS);

  function endLater(milliseconds: number): void {
    setTimeout(() => {
      const left = outage.last + QUIET_MILLISECONDS - elapsedMilliseconds();
      if (left > 0) return endLater(left);
      outages.delete(key);
      const seconds = Math.round((outage.last - outage.since) / 1_000);
      lines.ended({ failures: outage.failures, seconds });
    }, milliseconds).unref();
  }
}
