/** The one door of time. */
export function now(): Date {
  return new Date();
}

/** Milliseconds of a clock that never goes back, for durations. */
export function elapsedMilliseconds(): number {
  return performance.now();
}

// Ticks: time limits that an event loop which stood still cannot break. What came meanwhile is read between two of them.

const TICK_MILLISECONDS = 1000;

/** Calls `tick` every second, once after however long a pause. Keeps no process alive. The result stops it. */
export function everyTick(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MILLISECONDS).unref();
  return () => clearInterval(timer);
}

/** Calls `overdue` after so many ticks, unless the result is called before. */
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
