/** The package's only access to the clock. It depends on no other package. */

/** Milliseconds since 1970, UTC. */
export function nowMs(): number {
  return Date.now();
}
