/** The package's own door of time: it depends on nothing around it. */

/** Milliseconds of a clock that never goes back, for durations. */
export function elapsedMilliseconds(): number {
  return performance.now();
}
