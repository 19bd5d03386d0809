/**
 * How long to wait for something that other work holds up: on a busy machine a moment becomes a minute. No test says how fast anything is, so
 * none needs less; where it waits in vain, it fails.
 */
export const PATIENCE = { timeout: 120_000 };
