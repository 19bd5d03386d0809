/**
 * Loaded before a process (`node --import`): its clock and timers run `CLOCK_TIMES` times as fast, so that ten minutes
 * of an outage pass in seconds. Waiting for other processes takes as long as ever.
 */
const times = Number(process.env['CLOCK_TIMES'] ?? 1);
const { now } = Date;
const plainTimeout = globalThis.setTimeout;
const began = now();

Date.now = () => began + (now() - began) * times;
globalThis.setTimeout = Object.assign(
  (callback: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
    plainTimeout(callback, milliseconds / times, ...args),
  plainTimeout,
) as typeof setTimeout;

export {};
