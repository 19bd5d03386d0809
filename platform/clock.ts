/** The one door of time. */
export function now(): Date {
  return new Date();
}

/** Milliseconds of a clock that never goes back, for durations. */
export function elapsedMilliseconds(): number {
  return performance.now();
}
