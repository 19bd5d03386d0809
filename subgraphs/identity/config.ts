/** Fixed sizes of the identity subgraph. */

/** argon2id: memory in KiB, passes, lanes (OWASP's first recommendation). */
export const ARGON2 = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, saltLength: 16 } as const;

/** Hashing takes memory: so many at once, the rest wait. */
export const PASSWORD_HASHES_MAX = 4;

export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;

/** `last_used_at` of a key is written at most this often. */
export const LAST_USED_SECONDS = 60;
