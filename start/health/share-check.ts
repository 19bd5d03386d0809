/** One run of a check for all who ask at the same time, and for those who ask right after it. */
import { elapsedMilliseconds } from '#platform/clock.ts';

/** Anyone who probes more often gets the last result: the address is open to everybody. */
const FRESH_MILLISECONDS = 1_000;

/** What a database may take; an edge waits longer for those it asks. */
export const DATABASE_MILLISECONDS_MAX = 1_500;

/** Settles within `millisecondsMax`: with `late` where the check does not. `check` must not fail. */
export function shareCheck<Result>(
  check: () => Promise<Result>,
  millisecondsMax: number,
  late: Result,
): () => Promise<Result> {
  let latest: Promise<Result> | null = null;
  let settledAt: number | null = null;
  const run = async (): Promise<Result> => {
    const result = await within(check(), millisecondsMax, late);
    settledAt = elapsedMilliseconds();
    return result;
  };
  return () => {
    if (latest && (settledAt === null || elapsedMilliseconds() - settledAt < FRESH_MILLISECONDS)) return latest;
    settledAt = null;
    return (latest = run());
  };
}

/** `late` when the time is up; what runs goes on without anybody waiting for it. */
async function within<Result>(result: Promise<Result>, milliseconds: number, late: Result): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const timer = setTimeout(resolve, milliseconds, late);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
