/**
 * Time limit for waiting on something that other work may delay: on a busy machine, a moment becomes a minute. No test
 * asserts on speed, so none needs a lower limit. Exceeding it is a failure.
 */
export const PATIENCE = { timeout: 240_000 };

/** For `vi.setConfig` in a file whose tests or hooks need more than the usual five minutes. The file says why. */
export const MINUTES = { testTimeout: 900_000, hookTimeout: 900_000 };
