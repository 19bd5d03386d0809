/** The package's own door of time: it depends on nothing around it. */

/** Milliseconds since 1970, UTC. */
export function nowMs(): number {
  return Date.now();
}
