/** The only file that reads the clock. */
export function now(): Date {
  return new Date();
}

/** Monotonic milliseconds, for durations. */
export function elapsedMilliseconds(): number {
  return performance.now();
}

// Time limits counted in ticks, so that a blocked event loop does not expire them: data that arrived in the meantime is
// read between two ticks.

const TICK_MILLISECONDS = 1000;

/**
 * Calls `tick` every second, and once after a pause of any length. Does not keep the process alive. Returns a function
 * that stops it.
 */
export function everyTick(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MILLISECONDS).unref();
  return () => clearInterval(timer);
}

/** Calls `overdue` after this many ticks, unless the returned function is called first. */
export function afterTicks(ticks: number, overdue: () => void): () => void {
  let left = ticks;
  const stop = everyTick(() => {
    left -= 1;
    if (left > 0) return;
    stop();
    overdue();
  });
  return stop;
}
