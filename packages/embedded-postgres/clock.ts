/** The package's only access to the clock. It depends on no other package. */

/** Monotonic milliseconds, for durations. */
export function elapsedMilliseconds(): number {
  return performance.now();
}
