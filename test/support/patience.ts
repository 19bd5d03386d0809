/**
 * Time limit for waiting on something that other work may delay: on a busy machine, a moment becomes a minute. No test
 * asserts on speed, so none needs a lower limit. Exceeding it is a failure.
 */
export const PATIENCE = { timeout: 120_000 };
