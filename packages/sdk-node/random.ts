/** The package's only access to randomness: Web Crypto, which every runtime has. */

export function randomUuid(): string {
  return crypto.randomUUID();
}

/** Uniform in `[0, 1)`, for delays and not for secrets. */
export function randomShare(): number {
  return Math.random();
}
