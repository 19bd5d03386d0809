/** Stops a caller that tried too often, and returns how long to wait. */
import { fail } from '#kernel/errors.ts';

/** Fails with `RATE_LIMIT_EXCEEDED`. */
export function failForNow(waitSeconds: number): never {
  return fail('RATE_LIMIT_EXCEEDED', `Too many attempts. Try again in ${waitSeconds} seconds`, {
    retryAfterSeconds: waitSeconds,
  });
}
