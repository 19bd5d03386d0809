/** The package's own door of randomness: the Web's, which every runtime has. */

export function randomUuid(): string {
  return crypto.randomUUID();
}

/** Uniform in `[0, 1)`: for waits, not for secrets. */
export function randomShare(): number {
  return Math.random();
}
