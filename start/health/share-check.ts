/** Shares one run of a check among concurrent callers, and callers within the following second. */
import { elapsedMilliseconds } from '#platform/clock.ts';

/** More frequent probes get the last result, since the endpoint is public. */
const FRESH_MILLISECONDS = 1_000;

/** Time limit for a database; a gateway or adapter waits longer for the processes it asks. */
export const DATABASE_MILLISECONDS_MAX = 1_500;

/** Settles within `millisecondsMax`, with `late` if the check takes longer. `check` must not fail. */
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

/** Returns `late` after the time limit; the check itself continues. */
async function within<Result>(result: Promise<Result>, milliseconds: number, late: Result): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const timer = setTimeout(resolve, milliseconds, late);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
